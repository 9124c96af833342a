/** A merge cancelled while it runs, and run again. The worker waits at a fault point, so that there is time to cancel. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { BASE, expectAccessible, launch, open, signedIn, statements, WORK_MS, type Visit } from "./browser";
import { pauseAt } from "./pause";

const POINT = "merge.planned";

describe("a merge that is cancelled before its commit", () => {
  const pause = pauseAt(POINT);
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
    await statements(visit.page, "main", "CREATE BRANCH slow", "CREATE BRANCH target");
    await statements(visit.page, "slow", "INSERT INTO flights.airlines VALUES ('YY', 'Yonder Air')");
  }, 2 * WORK_MS);
  afterAll(async () => {
    pause.end();
    await browser.close();
  });

  it("shows its steps while it runs", async () => {
    const { page } = visit;
    pause.arm();
    await open(page, "/c/demo/compare/slow...target");
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("button", { name: "Merge into target" }).click();
    await page.waitForURL(/\/tasks\//);
    await expect.poll(() => pause.isReached(), { timeout: WORK_MS }).toBe(true);
    await page.getByRole("listitem").filter({ hasText: "compare both branches" }).waitFor();
    await page.getByText("You can close this page.").waitFor();
    await expectAccessible(page);
  });

  it("stands among what runs, in the list of tasks and on the start page", async () => {
    const { page } = visit;
    const address = page.url();
    await page.getByRole("link", { name: "Tasks" }).click();
    await page.getByLabel("State", { exact: true }).selectOption("running");
    const entry = page.getByRole("listitem").filter({ hasText: "MERGE BRANCH `slow` TO `target`" });
    await entry.locator(".badge", { hasText: "running" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Home", exact: true }).click();
    await page.getByRole("heading", { name: "Running now" }).waitFor();
    await page.locator("section.panel", { hasText: "Running now" }).getByRole("link", { name: "target", exact: true }).waitFor();
    await page.goto(address);
  });

  it("says that it is being stopped", async () => {
    const { page } = visit;
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Stopping …" }).waitFor();
    // Only now the worker knows of it; it learns of it with its next sign of life.
    await page.getByText("stops before anything is written").waitFor();
  });

  it("ends cancelled, with nothing changed on the target", async () => {
    const { page } = visit;
    pause.end();
    await page.locator(".badge", { hasText: "cancelled" }).waitFor({ timeout: WORK_MS });
    await page.getByRole("button", { name: "Retry" }).waitFor();
    const address = page.url();
    for (const theme of ["dark", "contrast", "light"]) {
      await page.evaluate((chosen) => (document.cookie = `theme=${chosen}; path=/`), theme);
      await open(page, address.slice(BASE().length));
      await page.getByRole("button", { name: "Retry" }).waitFor();
      await expectAccessible(page);
    }
    await open(page, "/c/demo/b/target?tab=history");
    await page.getByRole("list", { name: "Commits, newest first" }).getByRole("listitem").first().waitFor();
    await page.getByRole("listitem").filter({ hasText: "MERGE of slow" }).waitFor({ state: "detached" });
    await page.goto(address);
  });

  it("is run again, and then merges", async () => {
    const { page } = visit;
    await page.getByRole("button", { name: "Retry" }).click();
    await page.waitForURL(/\/merges\//, { timeout: WORK_MS });
    await page.getByText("version made").waitFor();
  });

  it("went without an error on the console", async () => {
    expect(visit.complaints).toEqual([]);
    // Last: the page that is open may show one of them, and would ask in vain.
    await statements(visit.page, "main", "DROP BRANCH slow", "DROP BRANCH target");
  });
});
