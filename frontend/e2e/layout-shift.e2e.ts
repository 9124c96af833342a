/** Nothing on a page moves once it is shown: the browser reports no layout shift, wide and narrow. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launch, open, signedIn } from "./browser";

const PAGES = [
  "/",
  "/c/demo",
  "/c/demo/b/delays",
  "/c/demo/b/delays/t/flights/flights",
  "/c/demo/b/main?tab=history",
  "/c/demo/compare/airlines_2014...main",
  "/c/demo/requests/new?source=delays&destination=main",
  "/c/demo/pipelines",
  "/c/demo/sql?branch=main",
  "/settings",
];

declare global {
  interface Window {
    shifts: string[];
  }
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: readonly { node: Node | null }[];
}

/** What the page is to report from its first paint on. */
function record() {
  window.shifts = [];
  const name = (node: Node | null) => (node instanceof Element ? `${node.tagName} ${node.className}` : (node?.parentElement?.className ?? ""));
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries() as LayoutShift[])
      if (!shift.hadRecentInput) window.shifts.push(`${shift.value.toFixed(4)}: ${shift.sources.map(({ node }) => name(node)).join(", ")}`);
  }).observe({ type: "layout-shift", buffered: true });
}

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

describe.each([
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
])("at $width px", (viewport) => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await signedIn(browser, { viewport }));
    await page.addInitScript(record);
  });
  afterAll(() => page.context().close());

  it.each(PAGES)("%s", async (path) => {
    // A page shows itself before an answer that takes longer than most: then it is opened again, when the server knows it.
    await expect
      .poll(async () => {
        await open(page, path);
        return page.evaluate(() => window.shifts);
      })
      .toEqual([]);
  });
});
