/** A table at its versions: the slider, the way back, and times as people and machines read them. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { expectAccessible, launch, open, signedIn, statements, WORK_MS, type Visit } from "./browser";

const TABLE = "/c/demo/b/versions/t/flights/steps";

describe("a table that has been written twice", () => {
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser, { timezoneId: "America/New_York" });
    await statements(visit.page, "main", "CREATE BRANCH versions");
    await statements(
      visit.page,
      "versions",
      "CREATE TABLE flights.steps (step INT, word STRING)",
      "INSERT INTO flights.steps VALUES (1, 'one')",
      "INSERT INTO flights.steps VALUES (2, 'two'), (3, 'three')",
    );
  }, 4 * WORK_MS);
  afterAll(() => browser.close());

  it("shows the rows of the version that the slider stands at, and of the head again", async () => {
    const { page } = visit;
    await open(page, `${TABLE}?tab=rows`);
    await page.getByText("All 3 rows").waitFor({ timeout: WORK_MS });
    const slider = page.getByRole("slider");
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByText(/^You are looking at version \d+/).waitFor();
    await page.getByText("The only row").waitFor({ timeout: WORK_MS });
    await page.getByRole("cell", { name: "two" }).waitFor({ state: "detached" });
    await expectAccessible(page);
    await page.goBack();
    await page.getByText("All 3 rows").waitFor({ timeout: WORK_MS });
    await page.goForward();
    await page.getByText("The only row").waitFor({ timeout: WORK_MS });
    await page.getByRole("button", { name: "Back to head" }).click();
    await page.getByText("All 3 rows").waitFor({ timeout: WORK_MS });
  });

  it("says every time in words, and on hover in the reader's zone and in UTC", async () => {
    const { page } = visit;
    await open(page, `${TABLE}?tab=history`);
    const time = page.getByRole("list", { name: "Commits, newest first" }).locator("time").first();
    const at = new Date((await time.getAttribute("datetime")) ?? "");
    const zone = { dateStyle: "medium", timeStyle: "medium", timeZone: "America/New_York" } as const;
    const local = new Intl.DateTimeFormat("en-GB", zone).format(at);
    expect(await time.getAttribute("title")).toBe(`${local} (${at.toISOString().slice(0, 19).replace("T", " ")} UTC)`);
    expect(await time.innerText()).toMatch(/just now|ago/);
  });

  it("is restored from any row of its history", async () => {
    const { page } = visit;
    await open(page, `${TABLE}?tab=history`);
    const oldest = page.getByRole("list", { name: "Commits, newest first" }).locator("> li").filter({ hasText: "INSERT" }).last();
    await oldest.locator("summary").click();
    await oldest.getByRole("button", { name: "Restore to this version" }).click();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached", timeout: WORK_MS });
    await page.getByText("1 row", { exact: true }).first().waitFor({ timeout: WORK_MS });
    await page.getByRole("tab", { name: "Rows" }).click();
    await page.getByText("The only row").waitFor({ timeout: WORK_MS });
  });

  it("comes back with its branch, restored from a row of the branch's history", async () => {
    const { page } = visit;
    await open(page, "/c/demo/b/versions?tab=history");
    const second = page.getByRole("list", { name: "Commits, newest first" }).locator("> li").filter({ hasText: "INSERT" }).first();
    await second.locator("summary").click();
    await second.getByRole("button", { name: "Restore to this version" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached", timeout: WORK_MS });
    await page.getByRole("tab", { name: "Databases and tables" }).click();
    await page.getByRole("link", { name: "steps", exact: true }).click();
    await page.getByText("3 rows", { exact: true }).first().waitFor({ timeout: WORK_MS });
  });

  it("went without an error on the console", async () => {
    expect(visit.complaints).toEqual([]);
    // Last: the page that is open may show one of them, and would ask in vain.
    await statements(visit.page, "main", "DROP BRANCH versions");
  });
});
