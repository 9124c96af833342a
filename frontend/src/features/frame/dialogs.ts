/** What opens over every page by a key: no page shows it at first. */
export { Palette } from "../palette/palette";
export { ShortcutsDialog } from "./shortcuts";
