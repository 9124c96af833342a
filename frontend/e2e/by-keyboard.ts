/** Work without a mouse: Tab to what has a name, as far as these pages name things. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

const MOST_STOPS = 150;

/** What a screen reader would call the element that has the focus. */
export function focusedName(): string {
  if (document.activeElement === document.body) return "";
  const element = document.activeElement as (HTMLElement & { labels?: NodeListOf<HTMLLabelElement> }) | null;
  const label = element?.labels?.[0]?.querySelector("span")?.textContent ?? element?.labels?.[0]?.textContent;
  return (element?.getAttribute("aria-label") ?? label ?? element?.textContent ?? "").trim();
}

/** Press Tab until what is called so has the focus; answers how often. */
export async function reach(page: Page, name: string | RegExp, most = MOST_STOPS): Promise<number> {
  const passed: string[] = [];
  for (let stop = 1; stop <= most; stop += 1) {
    await page.keyboard.press("Tab");
    const reached = await page.evaluate(focusedName);
    if (typeof name === "string" ? reached === name : name.test(reached)) return stop;
    passed.push(reached);
  }
  throw new Error(`None of ${String(most)} stops of Tab is called ${String(name)}: ${passed.join(" | ")}`);
}

/** Tab to what is called so, and press Enter. */
export async function press(page: Page, name: string | RegExp, most?: number): Promise<void> {
  await reach(page, name, most);
  await page.keyboard.press("Enter");
}

/** Count what a pointer does on every page that is opened from now on. */
export async function watchPointer(page: Page): Promise<void> {
  await page.context().addInitScript(() => {
    addEventListener("pointerdown", () => sessionStorage.setItem("pointed", "yes"), true);
  });
}

export async function expectNoPointer(page: Page): Promise<void> {
  expect(await page.evaluate(() => sessionStorage.getItem("pointed"))).toBeNull();
}

/** Something that has the focus shows it: no one finds their way with a focus that is not seen. */
export async function expectSeenFocus(page: Page): Promise<void> {
  const look = await page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return "nothing has the focus";
    const box = element.getBoundingClientRect();
    const isIn = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    return isIn && box.width > 0 ? "seen" : `outside of the screen: ${element.outerHTML.slice(0, 120)}`;
  });
  expect(look).toBe("seen");
}
