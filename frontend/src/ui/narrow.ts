import { useSyncExternalStore } from "react";

/** Where the style sheet puts the parts of a row beneath each other, at the usual size of text. */
const NARROW_PIXELS = 760;
const USUAL_TEXT_PIXELS = 16;

/** Whether the window is narrow now: people turn and resize it while a page is open. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(followWidth, () => window.innerWidth <= NARROW_PIXELS * textScale());
}

function followWidth(onChange: () => void): () => void {
  window.addEventListener("resize", onChange);
  return () => window.removeEventListener("resize", onChange);
}

/** The size of text that the browser is set to, as a multiple of the usual one: heights that are computed follow it. */
export function textScale(): number {
  const size = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Number.isFinite(size) ? size / USUAL_TEXT_PIXELS : 1;
}
