/** Every page in light, dark and high contrast, wide and narrow: nothing serious for axe, nothing wider than the screen. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { call, expectAccessible, expectColoursAccessible, launch, open, signedIn, WORK_MS, type Visit } from "./browser";

const PAGES = [
  "/",
  "/c/demo",
  "/c/demo/b/main",
  "/c/demo/b/main?tab=history",
  "/c/demo/b/delays/t/flights/flights",
  "/c/demo/b/delays/t/flights/flights?tab=history",
  "/c/demo/b/delays/t/flights/flights?tab=segments",
  "/c/demo/b/delays/t/flights/flights?tab=schemas",
  // A few changed rows: axe looks at each cell, and the comparison shows many changed rows in the same table.
  "/c/demo/b/airlines_2014/t/flights/airlines?tab=changes",
  "/c/demo/b/main/t/flights/airlines?tab=rows&version=3",
  "/c/demo/compare",
  "/c/demo/compare/delays...main",
  "/c/demo/compare/airlines_2014...main",
  "/c/demo/requests",
  "/c/demo/requests/new?source=delays&destination=main",
  "/c/demo/merges",
  "/c/demo/merges?kind=settings",
  "/c/demo/import?branch=delays",
  "/c/demo/sql?branch=main",
  "/c/demo/pipelines",
  "/c/demo/pipelines/new",
  "/tasks",
  "/settings",
  "/c/demo/settings",
  "/c/demo/settings?tab=protection",
  "/c/demo/settings?tab=checks",
  "/c/demo/settings?tab=webhooks",
  "/inbox",
];
/** The browser itself reports the answer 404 on its console. */
const NO_PAGES = ["/c/nowhere", "/no/such"];
const HEIGHT = 844;
const WIDE = 1280;
const NARROW = 390;
/** Pages open in the light one, and only colours differ. */
const OTHER_THEMES = ["dark", "contrast"];
/** Pages looked at until now. A narrow window has one other theme, by turns: what it alone draws is drawn on many pages. */
let looks = 0;

const REQUESTS = "/api/v1/catalogs/demo/merge-requests/";
const TABS_OF_A_REQUEST = ["", "?tab=compare", "?tab=checks"];
/** A pipeline of the demo lake, on each of its tabs. */
const TABS_OF_A_PIPELINE = ["", "?tab=strategy", "?tab=runs", "?tab=versions", "?tab=settings"];

let browser: Browser;
let request: number;
let pipeline: number;
/** Of a dry run that met the conflict. */
let record: string;
beforeAll(async () => {
  browser = await launch();
  const { page } = await signedIn(browser);
  const wanted = { source: "delays", destination: "main", title: "To be looked at", description: "A **conflict**." };
  request = ((await call(page, "POST", REQUESTS, wanted)) as { number: number }).number;
  await call(page, "POST", `${REQUESTS}${request}/comments/`, { body: "Why?" });
  const dryRun = { statement: "MERGE BRANCH delays TO main DRY RUN", catalog: "demo", branch: "main" };
  record = ((await call(page, "POST", "/api/v1/sql/", dryRun)) as { merge_id: string }).merge_id;
  // They are the last that the demo lake gets.
  const found = async () => {
    pipeline = await pipelineNamed(page, "last_seen");
    expect(pipeline).toBeGreaterThan(0);
  };
  await vi.waitFor(found, { timeout: WORK_MS, interval: 500 });
  await page.context().close();
}, WORK_MS);
afterAll(async () => {
  const { page } = await signedIn(browser);
  await call(page, "PATCH", `${REQUESTS}${request}/`, { state: "closed" });
  await browser.close();
});

/** Its id; 0 while there is none of that name. */
async function pipelineNamed(page: Page, name: string): Promise<number> {
  const found = (await call(page, "GET", `/api/v1/pipelines/?catalog=demo&search=${name}`)) as { results: { id: number }[] };
  return found.results[0]?.id ?? 0;
}

/** In every theme and width nothing serious for axe, nothing wider than the screen, and a frame that scrolls its parts
 * and never itself. The page is open once: its window becomes narrow, and themes change, under it. */
async function isInOrder(page: Page): Promise<void> {
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
  await page.setViewportSize({ width: WIDE, height: HEIGHT });
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

  it("the record of a refused merge", async () => {
    const { page } = visit;
    await open(page, `/merges/${record}`);
    await page.getByText("1 conflict would refuse this merge.").waitFor();
    await isInOrder(page);
  });

  it.each(TABS_OF_A_PIPELINE)("a pipeline%s", async (tab) => {
    const { page } = visit;
    await open(page, `/c/demo/pipelines/${pipeline}${tab}`);
    await page.getByRole("heading", { name: "last_seen" }).waitFor();
    await isInOrder(page);
  });

  it.each(TABS_OF_A_REQUEST)("a merge request%s", async (tab) => {
    const { page } = visit;
    await open(page, `/c/demo/requests/${request}${tab}`);
    await page.getByText("To be looked at").waitFor();
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

it("reviews a conflict by the keyboard alone", async () => {
  const { page } = await signedIn(browser);
  await open(page, "/c/demo/compare/delays...main");
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
  await page.getByText("Which rule decided this?").focus();
  await page.keyboard.press("Enter");
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
