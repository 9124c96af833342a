import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// Files share the document and the storage: what one test leaves, no other finds.
afterEach(() => {
  cleanup();
  document.head.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
});

// Pages load their code when they are first opened, which takes a while on a busy machine.
configure({ asyncUtilTimeout: 5000 });

// jsdom draws nothing: it has no dialogs, no layout and no media queries, which components ask for.
Object.assign(HTMLDialogElement.prototype, {
  showModal(this: HTMLDialogElement) {
    this.open = true;
  },
  close(this: HTMLDialogElement) {
    this.open = false;
  },
});
Object.assign(Element.prototype, { scrollIntoView: () => undefined });
Object.assign(Range.prototype, { getClientRects: () => [], getBoundingClientRect: () => new DOMRect() });
Object.defineProperties(Element.prototype, { clientHeight: { get: () => 600 }, clientWidth: { get: () => 800 } });
Object.assign(globalThis, {
  matchMedia: () => Object.assign(new EventTarget(), { matches: false }),
  ResizeObserver: class {
    observe = () => undefined;
    unobserve = () => undefined;
    disconnect = () => undefined;
  },
});
