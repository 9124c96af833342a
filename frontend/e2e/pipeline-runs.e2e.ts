/** A pipeline of every strategy runs on the flights, from its page: one is cancelled on the way and retried, one is published after checks. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, expectAccessible, launch, open, signedIn, statements, WORK_MS, type Visit } from "./browser";
import { isInOrder } from "./in-order";
import { pauseAt } from "./pause";

/** A branch of its own, so that the lake stays for the other journeys as it was loaded. */
const BRANCH = "rehearsal";
const PIPELINES = "/api/v1/pipelines/";
const RUN = /\/runs\/[0-9a-f-]+$/;
const REGISTERED = "write.registered";
const STRATEGIES = {
  delays_by_day: "full_refresh",
  longest_delays: "append_only",
  last_seen: "incremental",
  routes: "delete_insert",
  planes_history: "scd2",
  delays_by_month: "snapshot",
};
type Name = keyof typeof STRATEGIES;

interface Made {
  id: number;
  name: string;
}

describe("a pipeline of every strategy", () => {
  const pause = pauseAt(REGISTERED);
  let browser: Browser;
  let visit: Visit;
  let ids: Record<string, number> = {};

  const edit = (name: Name, values: object) => call(visit.page, "PATCH", `${PIPELINES}${ids[name]}/`, values);
  const ended = (page: Page, state: string) => page.getByRole("heading", { level: 1 }).getByText(state).waitFor({ timeout: WORK_MS });
  const figure = (page: Page, name: string) => page.getByLabel("What it wrote").locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");
  const tables = async (): Promise<string[]> => {
    const found = (await call(visit.page, "GET", `/api/v1/catalogs/demo/branches/${BRANCH}/databases/flights/tables/`)) as { results: Made[] };
    return found.results.map(({ name }) => name);
  };
  const start = async (page: Page, name: Name) => {
    await open(page, `/c/demo/pipelines/${ids[name]}`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(RUN);
  };
  const wrote = async (page: Page, name: Name) => {
    await ended(page, "succeeded");
    await page.locator("code", { hasText: STRATEGIES[name] }).first().waitFor();
    await expect.poll(async () => Number((await figure(page, "rows inserted").innerText()).replaceAll(",", ""))).toBeGreaterThan(0);
  };

  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
    await statements(visit.page, "main", `CREATE BRANCH ${BRANCH} FROM main`);
    const found = (await call(visit.page, "GET", `${PIPELINES}?catalog=demo`)) as { results: Made[] };
    ids = Object.fromEntries(found.results.map(({ id, name }) => [name, id]));
    for (const name of Object.keys(STRATEGIES)) await edit(name as Name, { branch: BRANCH });
  }, 2 * WORK_MS);
  afterAll(async () => {
    pause.end();
    for (const name of Object.keys(STRATEGIES)) await edit(name as Name, { branch: "main" });
    await statements(visit.page, "main", `DROP BRANCH ${BRANCH}`);
    await browser.close();
  }, WORK_MS);

  it("is cancelled before its commit, and then nothing was written", async () => {
    const { page } = visit;
    pause.arm();
    await start(page, "routes");
    await expect.poll(() => pause.isReached(), { timeout: WORK_MS }).toBe(true);
    await page.getByRole("listitem").filter({ hasText: "compute the rows once" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Stopping …" }).waitFor();
    // Only now the worker knows of it; it learns of it with its next sign of life.
    await page.getByText("stops before anything is written").waitFor({ timeout: WORK_MS });
    pause.end();
    await ended(page, "cancelled");
    await expectAccessible(page);
    expect(await tables()).not.toContain("routes");
  });

  it("is retried from there, and writes", async () => {
    const { page } = visit;
    await page.getByRole("button", { name: "Retry" }).click();
    await wrote(page, "routes");
    expect(await tables()).toContain("routes");
    await open(page, `/c/demo/pipelines/${ids.routes}?tab=runs`);
    await expect.poll(() => page.getByRole("list", { name: "Runs" }).getByRole("listitem").count()).toBe(2);
  });

  it("is opened from the grid of runs: the run, a step of it, and the log of that step", async () => {
    const { page } = visit;
    const grid = page.getByRole("grid", { name: "Runs and their steps" });
    // Of the run that was cancelled the grid shows how far it came.
    await grid.getByRole("link", { name: /, not reached, run of/ }).first().waitFor();
    await grid.getByRole("link", { name: /^Run of .*, cancelled/ }).click();
    await ended(page, "cancelled");
    await page.goBack();
    await grid.getByRole("link", { name: /^Run of .*, succeeded/ }).click();
    await ended(page, "succeeded");
    await page.goBack();
    await grid.getByRole("link", { name: /^execute, succeeded/ }).last().click();
    const step = page.getByRole("list", { name: "Log by steps" }).locator(":scope > li[aria-current=step]");
    await step.getByText("execute", { exact: true }).waitFor();
    await step.getByRole("listitem").first().waitFor();
    await expect.poll(() => step.evaluate((item) => item.getBoundingClientRect().top >= 0 && item.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
    await expectAccessible(page);
  });

  it("is opened from the grid by the keyboard too", async () => {
    const { page } = visit;
    await open(page, `/c/demo/pipelines/${ids.routes}?tab=runs`);
    const grid = page.getByRole("grid", { name: "Runs and their steps" });
    await grid.getByRole("link", { name: /^Run of .*, succeeded/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await ended(page, "cancelled");
    await page.locator("[aria-label='Log by steps'] > li[aria-current=step]").waitFor();
  });

  it("is not published where a check fails, and says which rows are why", async () => {
    const { page } = visit;
    const { config } = (await call(page, "GET", `${PIPELINES}${ids.delays_by_month}/`)) as { config: string };
    await edit("delays_by_month", { config: config.replace("flights > 0", "flights > 1000000") });
    await start(page, "delays_by_month");
    await ended(page, "failed");
    await page.getByText(/rows are not flights > 1000000/).first().waitFor();
    await expectAccessible(page);
    expect(await tables()).not.toContain("delays_by_month");
    await edit("delays_by_month", { config });
  });

  it("is published by a merge once its checks are true", async () => {
    const { page } = visit;
    await start(page, "delays_by_month");
    await wrote(page, "delays_by_month");
    await page.getByRole("listitem").filter({ hasText: `merge into ${BRANCH}` }).waitFor();
    await page.getByRole("link", { name: "the merge that published it" }).click();
    await page.waitForURL(/\/merges\//);
  });

  it.each(["delays_by_day", "longest_delays", "last_seen", "planes_history"] as const)("runs on the flights: %s", async (name) => {
    const { page } = visit;
    await start(page, name);
    await wrote(page, name);
  });

  it("stands in the lineage of the table that it read, in a picture and in a list", async () => {
    const { page } = visit;
    await open(page, `/c/demo/b/${BRANCH}/t/flights/flights?tab=lineage`);
    const list = page.getByRole("region", { name: "Lineage" });
    await list.getByRole("row", { name: /^table flights\.flights pipeline routes/ }).waitFor();
    await list.getByRole("row", { name: /^pipeline routes table flights\.routes/ }).waitFor();
    await page.locator("svg text", { hasText: "flights.routes" }).waitFor();
    await isInOrder(page);
  });

  it("has left a table of every strategy", async () => {
    expect(await tables()).toEqual(expect.arrayContaining(Object.keys(STRATEGIES)));
    expect(visit.complaints).toEqual([]);
  });
});
