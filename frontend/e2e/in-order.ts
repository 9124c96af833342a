/** In every theme and width every rule of axe is fulfilled; there and at a zoom of 200 % nothing is wider than the
 * screen, and only parts of the frame scroll. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

import { expectAccessible, expectColoursAccessible } from "./browser";

const HEIGHT = 844;
const WIDE = 1280;
const NARROW = 390;
/** What a zoom of 200 % leaves of 1440 × 900 pixels. */
const ZOOMED = { width: 720, height: 450 };
/** Pages open in the light one, and only colours differ. */
const OTHER_THEMES = ["dark", "contrast"];
/** Pages looked at until now. A narrow window has one other theme, by turns: what it alone draws is drawn on many pages. */
let looks = 0;

/** The page is open once: its window becomes narrow, and themes change, under it. */
export async function isInOrder(page: Page): Promise<void> {
  looks += 1;
  const ofNarrow = OTHER_THEMES.filter((_, place) => place === looks % OTHER_THEMES.length);
  for (const width of [WIDE, NARROW]) {
    await page.setViewportSize({ width, height: HEIGHT });
    await expectAccessible(page);
    await fits(page);
    for (const theme of width === NARROW ? ofNarrow : OTHER_THEMES) {
      await show(page, theme);
      await expectColoursAccessible(page);
      await fits(page);
    }
    await show(page, "light");
  }
  await page.setViewportSize(ZOOMED);
  await fits(page);
  await page.setViewportSize({ width: WIDE, height: HEIGHT });
}

/** In the light theme every rule of axe is fulfilled, and nothing is wider than the screen, in both widths. */
export async function isAccessible(page: Page): Promise<void> {
  for (const width of [NARROW, WIDE]) {
    await page.setViewportSize({ width, height: HEIGHT });
    await expectAccessible(page);
    await fits(page);
  }
}

function show(page: Page, theme: string): Promise<string> {
  return page.evaluate((shown) => (document.documentElement.dataset.theme = shown), theme);
}

async function fits(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  await expect.poll(() => page.evaluate(frameOverhang)).toBeLessThanOrEqual(0);
}

/** Pixels by which a page in the frame is longer than the screen. */
function frameOverhang(): number {
  return document.querySelector(".frame") === null ? 0 : document.documentElement.scrollHeight - window.innerHeight;
}
