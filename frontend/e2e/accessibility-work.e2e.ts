/** Every page of work (requests, merges, pipelines, tasks, settings) in light, dark and high contrast, wide and narrow. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { call, launch, open, signedIn, WORK_MS, type Visit } from "./browser";
import { isAccessible, isInOrder } from "./in-order";

const PAGES = [
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
  "/people",
  "/c/demo/settings",
  "/c/demo/settings?tab=protection",
  "/c/demo/settings?tab=checks",
  "/c/demo/settings?tab=webhooks",
  "/inbox",
];
/** Tabs of pages that are looked at whole above: one look at all rules in each width. */
const OTHER_TABS = [
  "/people?tab=groups",
  "/people?tab=agents",
  "/people?tab=rights",
  "/c/demo/settings?tab=merging",
  "/c/demo/settings?tab=restrictions",
  "/c/demo/settings?tab=catalog",
];
const REQUESTS = "/api/v1/catalogs/demo/merge-requests/";
const TABS_OF_A_REQUEST = ["", "?tab=compare", "?tab=checks"];
/** A pipeline of the demo lake, on each of its tabs. */
const TABS_OF_A_PIPELINE = ["", "?tab=strategy", "?tab=landing", "?tab=runs", "?tab=versions", "?tab=settings"];

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

  it.each(OTHER_TABS)("%s, one tab of a page", async (path) => {
    const { page } = visit;
    await open(page, path);
    await page.getByRole("tab", { selected: true }).waitFor();
    await isAccessible(page);
  });

  it("the task of a dry run", async () => {
    const { page } = visit;
    const dryRun = { statement: "MERGE BRANCH delays TO main DRY RUN", catalog: "demo", branch: "main" };
    const task = (await call(page, "POST", "/api/v1/sql/", dryRun, { Prefer: "respond-async" })) as { id: string };
    await open(page, `/tasks/${task.id}`);
    await page.getByRole("heading", { name: /^Task: / }).waitFor();
    await isAccessible(page);
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
});
