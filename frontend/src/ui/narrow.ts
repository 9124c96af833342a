import { useSyncExternalStore } from "react";

/** Where the style sheet puts the parts of a row beneath each other. */
const NARROW_PIXELS = 760;

/** Whether the window is narrow now: people turn and resize it while a page is open. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(followWidth, () => window.innerWidth <= NARROW_PIXELS);
}

function followWidth(onChange: () => void): () => void {
  window.addEventListener("resize", onChange);
  return () => window.removeEventListener("resize", onChange);
}
