/** Every page of tables and comparisons in light, dark and high contrast, wide and narrow; `accessibility-work` has the others. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launch, open, signedIn, type Visit } from "./browser";
import { isInOrder } from "./in-order";

const PAGES = [
  "/",
  "/c/demo",
  "/c/demo/b/main",
  "/c/demo/b/main?tab=history",
  "/c/demo/b/main?tab=trash",
  "/c/demo/b/delays/t/flights/flights",
  "/c/demo/b/delays/t/flights/flights?tab=history",
  "/c/demo/b/delays/t/flights/flights?tab=segments",
  "/c/demo/b/delays/t/flights/flights?tab=schemas",
  "/c/demo/b/main/t/flights/flights?tab=lineage",
  // A few changed rows: axe looks at each cell, and the comparison shows many changed rows in the same table.
  "/c/demo/b/airlines_2014/t/flights/airlines?tab=changes",
  "/c/demo/b/main/t/flights/airlines?tab=rows&version=3",
  "/c/demo/b/main/t/flights/airlines?tab=rows",
  "/c/demo/b/main/t/flights/airlines?tab=profile",
  "/c/demo/b/main/t/flights/airlines?tab=properties",
  "/c/demo/compare",
  "/c/demo/compare/delays...main",
  "/c/demo/compare/airlines_2014...main",
];
/** The browser itself reports the answer 404 on its console. */
const NO_PAGES = ["/c/nowhere", "/no/such"];

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

describe("in every theme and width", () => {
  let visit: Visit;
  beforeAll(async () => {
    visit = await signedIn(browser);
    await visit.page.evaluate(() => (document.cookie = "theme=light; path=/"));
  });
  afterAll(() => visit.page.context().close());

  it.each(PAGES)("%s", async (path) => {
    const { page } = visit;
    await open(page, path);
    await isInOrder(page);
  });

  it("went without an error on the console and within the content policy", () => {
    expect(visit.complaints).toEqual([]);
  });

  it.each(NO_PAGES)("%s, which is not there", async (path) => {
    const { page } = visit;
    await open(page, path);
    await isInOrder(page);
  });
});

it("says by lines what a ground says, where the reader's system sets all colours", async () => {
  const { page } = await signedIn(browser);
  await page.emulateMedia({ forcedColors: "active" });
  await open(page, "/c/demo/compare/delays...main");
  const style = (selector: string, name: string) =>
    page.locator(selector).first().evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);
  const placeOf = (selector: string) => style(selector, "border-inline-start-color");
  expect(await placeOf('.rail a[aria-current="page"]')).not.toBe(await placeOf(".rail a:not([aria-current])"));
  const lineOf = (selector: string) => style(selector, "border-bottom-color");
  await page.getByRole("tab", { selected: true }).waitFor();
  expect(await lineOf('.tabs > [aria-selected="true"]')).not.toBe(await lineOf('.tabs > [aria-selected="false"]'));
  expect(await style(".lane-dot", "background-color")).not.toBe(await style("body", "background-color"));
  expect(await style('[title] > span[data-kind]:empty', "background-color")).not.toBe(await style("body", "background-color"));
  await page.getByRole("tab", { name: /^Rows/ }).click();
  await page.locator("td.changed").first().waitFor();
  expect(await style("td.changed", "outline-style")).toBe("dashed");
  await page.context().close();
});

it("reviews a conflict by the keyboard alone", async () => {
  const { page } = await signedIn(browser);
  await open(page, "/c/demo/compare/delays...main");
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
  await page.getByText("Which rule decided this?").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Update × Insert: conflict" }).waitFor();
  const reached: string[] = [];
  for (let press = 0; press < 40 && !reached.at(-1)?.startsWith("Update × Insert"); press += 1) {
    await page.keyboard.press("Tab");
    reached.push(await focused());
  }
  expect(reached.at(-1)).toBe("Update × Insert: conflict");
  await page.keyboard.press("ArrowUp");
  await expect.poll(focused).toMatch(/^Columns × Insert/);
  await page.keyboard.press("Enter");
  await page.getByRole("gridcell", { selected: true }).getByRole("button", { name: "Columns × Insert: no conflict (checked)" }).waitFor();
  await page.context().close();
});
