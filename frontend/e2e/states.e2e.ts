/** Every page while it waits, when the server fails, when it refuses, and with nothing to show. */
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { expectAccessible, launch, open, signedIn, BASE, type Visit } from "./browser";

const START = "/";
const PAGES = [
  START,
  "/c/demo",
  "/c/demo/b/main",
  "/c/demo/b/main?tab=history",
  "/c/demo/b/main/t/flights/flights",
  "/c/demo/compare",
  "/c/demo/compare/delays...main",
  "/c/demo/requests",
  "/c/demo/requests/1",
  "/c/demo/requests/new?source=delays&destination=main",
  "/c/demo/settings",
  "/c/demo/settings?tab=protection",
  "/c/demo/settings?tab=checks",
  "/c/demo/settings?tab=webhooks",
  "/inbox",
  "/c/demo/merges",
  "/merges/00000000-0000-4000-8000-000000000000",
  "/c/demo/import?branch=main",
  "/c/demo/import?branch=main&import=00000000-0000-4000-8000-000000000000",
  "/c/demo/pipelines",
  "/c/demo/pipelines/1",
  "/c/demo/pipelines/1?tab=strategy",
  "/c/demo/pipelines/1?tab=landing",
  "/c/demo/pipelines/1?tab=runs",
  "/c/demo/pipelines/1?tab=versions",
  "/c/demo/pipelines/new?from=1",
  "/c/demo/pipelines/1/runs/00000000-0000-4000-8000-000000000000",
  "/tasks",
  "/tasks/00000000-0000-4000-8000-000000000000",
  "/settings",
];
const TABLE_TABS = ["rows", "history", "segments", "schemas", "changes"];
const ADDRESSES = [...PAGES, ...TABLE_TABS.map((tab) => `/c/demo/b/main/t/flights/flights?tab=${tab}`)];
/** A file can be chosen before the list of those that were sent earlier is there. */
const READY_AT_ONCE = "/c/demo/import?branch=main";
/** What the frame asks on the pages of a catalog; it continues to work. The start page asks for the same itself. */
const OF_THE_FRAME = /\/api\/v1\/catalogs\/(\?|$)|\/api\/v1\/tasks\/\?state=running/;

let browser: Browser;
let visit: Visit;
beforeAll(async () => {
  browser = await launch();
  visit = await signedIn(browser);
});
afterAll(() => browser.close());
beforeEach(() => visit.page.unrouteAll({ behavior: "ignoreErrors" }));

/** From now on the interface answers a page so, but for its frame. */
async function answer(page: Page, path: string, respond: (route: Route) => Promise<void> | void): Promise<void> {
  const isOfFrame = (address: string) => path !== START && OF_THE_FRAME.test(address);
  await page.route("**/api/v1/**", (route) => (isOfFrame(route.request().url()) ? route.continue() : respond(route)));
}

function problem(status: number, document: Record<string, unknown>) {
  return (route: Route) =>
    route.fulfill({ status, contentType: "application/problem+json", body: JSON.stringify({ status, ...document }) });
}

const FAILED = problem(500, { code: "INTERNAL_ERROR", title: "Internal error", detail: "Something failed here.", error_id: "4711abcd" });
const REFUSED = problem(403, { code: "PERMISSION_DENIED", title: "Permission denied", detail: "You may not look at this.", remedy: "Ask for the role reader." });

/** From now on the interface does not answer a page; the answer to what it has asked for by then, and asks for later. */
async function hold(page: Page, path: string): Promise<(respond: (route: Route) => Promise<void>) => Promise<void>> {
  let respondLater: ((route: Route) => Promise<void>) | undefined;
  const held: Route[] = [];
  await answer(page, path, (route) => (respondLater ? respondLater(route) : void held.push(route)));
  return async (respond) => {
    respondLater = respond;
    await Promise.all(held.map(respond));
  };
}

it(`${READY_AT_ONCE} can be used before anything comes`, async () => {
  const { page } = visit;
  await answer(page, READY_AT_ONCE, () => undefined);
  await page.goto(BASE() + READY_AT_ONCE);
  await page.getByText("Drop a file here").waitFor();
  await expect.poll(() => page.getByLabel("Choose a file").isEnabled()).toBe(true);
});

describe.each(ADDRESSES)("%s", (path) => {
  it("says what it waits for, then what failed, with an id for the log, and, tried again, what is refused and whom to ask", async () => {
    const { page } = visit;
    const release = await hold(page, path);
    await page.goto(BASE() + path);
    if (path !== READY_AT_ONCE) await page.getByRole("status").filter({ hasText: "Loading" }).first().waitFor();
    await release(FAILED);
    const alert = page.getByRole("alert").first();
    await alert.getByText("Something failed here.").waitFor();
    await alert.getByText("4711abcd").waitFor();
    // The alert is the same on every tab of a page.
    if (!path.includes("?tab=")) await expectAccessible(page);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await answer(page, path, REFUSED);
    await alert.getByRole("button", { name: "Try again" }).click();
    const refusal = page.getByRole("alert").filter({ hasText: "You may not look at this." }).first();
    await refusal.getByText("Ask for the role reader.").waitFor();
    await refusal.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
  });
});

describe("with nothing to show", () => {
  const nothing = { next: null, previous: null, results: [] };
  const branch = { catalog: "demo", branch_id: 1, head_version: 9 };
  const counts = { objects: 0, conflict: 0, decided: 0, note: 0, ok: 0, new: 0, conflicts: 0, notes: 0 };
  const facts = { merge_base: 9, ahead: 0, behind: 0, mergeable: true, is_empty: true, fingerprint: "0", rules_digest: "0" };
  const equal = { source: { ...branch, name: "delays" }, destination: { ...branch, name: "main" }, ...facts, counts, databases: [], ...nothing };
  const noRows = { version: 9, columns: [{ name: "carrier", type: "STRING" }], rows: [], truncated: false };
  const empty = (body: object) => (route: Route) => route.fulfill({ contentType: "application/json", body: JSON.stringify(body) });

  it.each([
    ["/", /\/api\/v1\/catalogs\//, nothing, "There is no catalog yet"],
    ["/c/demo", /\/graph\//, { commits: [], branches: [], failed_merges: [], tags: [], next_before: null }, "No commit yet"],
    ["/c/demo/b/main", /\/databases\//, nothing, "No database yet"],
    ["/c/demo/compare", /\/branches\//, nothing, "There is only one branch"],
    ["/c/demo/merges", /\/merges\//, nothing, "No merge was tried yet"],
    ["/c/demo/requests", /\/merge-requests\//, nothing, "No open merge request in demo"],
    ["/c/demo/pipelines", /\/pipelines\//, nothing, "No pipeline yet"],
    ["/c/demo/pipelines/1?tab=runs", /\/runs\//, nothing, "It never ran"],
    ["/c/demo/settings", /\/members\//, nothing, "No members yet"],
    ["/c/demo/settings?tab=protection", /\/protection-rules\//, nothing, "No branch is protected"],
    ["/c/demo/settings?tab=checks", /\/checks\//, nothing, "No check yet"],
    ["/c/demo/settings?tab=webhooks", /\/webhooks\//, nothing, "No webhook yet"],
    ["/c/demo/merges?kind=bypass", /\/merges\//, nothing, "No protection was bypassed"],
    ["/inbox", /\/inbox\//, nothing, "Nothing waits for you"],
    ["/tasks", /\/tasks\//, nothing, "No task"],
    ["/settings", /\/tokens\//, nothing, "You have no token"],
    ["/c/demo/b/main/t/flights/airlines?tab=segments", /\/segments\//, nothing, "No file in this version"],
    ["/c/demo/compare/delays...main", /\/compare\//, equal, "main has everything of delays"],
    ["/c/demo/b/main/t/flights/airlines?tab=rows", /\/rows\//, noRows, "No row in this version"],
    ["/c/demo/b/main/t/flights/airlines?tab=history", /\/history\//, nothing, "No commit is like that"],
  ])("%s says what would be there", async (path, address, body, words) => {
    const { page } = visit;
    await page.route(address, (route) => (route.request().url().includes("/api/v1/") ? empty(body)(route) : route.continue()));
    await open(page, path);
    await page.getByText(words).first().waitFor();
    await expectAccessible(page);
  });
});
