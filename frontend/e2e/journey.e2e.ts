/** A newcomer finds the conflict of the demo lake, understands it, solves it on the branch, merges, and takes the merge back. */
import { readFileSync } from "node:fs";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { expectAccessible, launch, open, signedIn, WORK_MS, type Visit } from "./browser";

describe("from the start page to a merge that is taken back, by clicks alone", () => {
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
  });
  afterAll(() => browser.close());

  it("finds the conflict on the start page, and why it is one", async () => {
    const { page } = visit;
    const row = page.getByRole("listitem").filter({ hasText: "delays" });
    await row.getByText("1 table in conflict").waitFor();
    await row.getByRole("link", { name: "Compare delays with main" }).click();
    await page.getByText("delays would bring 610 updated rows and 1 new column to flights.flights.").waitFor();
    await page.getByText("main has 2 new rows that the UPDATE of delays did not check.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Merge", exact: true }).isDisabled()).toBe(true);
  });

  it("sees the reason, its rows and a way out without scrolling", async () => {
    const { page } = visit;
    await page.setViewportSize({ width: 1440, height: 900 });
    const rows = page.getByRole("region", { name: "New rows on main" });
    await expect.poll(() => rows.getByRole("row", { name: /inserted/ }).count(), { timeout: WORK_MS }).toBe(2);
    const choice = page.getByRole("button", { name: "Keep main", exact: true });
    await choice.waitFor({ timeout: WORK_MS });
    for (const part of [rows, choice]) {
      const box = await part.boundingBox();
      expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThan(900);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("sees the rule behind it, and the rows that each side changed", async () => {
    const { page } = visit;
    await page.getByText("Which rule decided this?").click();
    await page.getByRole("gridcell", { selected: true }).getByText("conflict").waitFor();
    await page.getByText("The target has new rows that the source's update never looked at.").waitFor();
    const mine = page.getByRole("region", { name: "Rows that delays changed" });
    await mine.getByText("late aircraft").first().waitFor({ timeout: WORK_MS });
    const theirs = page.getByRole("region", { name: "Rows that main changed" });
    await expect.poll(() => theirs.getByRole("row", { name: /inserted/ }).count(), { timeout: WORK_MS }).toBe(2);
  });

  it("records a dry run that says the same", async () => {
    const { page } = visit;
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("1 conflict would refuse this merge.").waitFor({ timeout: WORK_MS });
    await expectAccessible(page);
    await page.getByRole("link", { name: "Compare now" }).click();
  });

  it("pulls main into the branch, by the way out that the conflict names", async () => {
    const { page } = visit;
    await page.getByRole("link", { name: "Merge main into delays" }).click();
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("button", { name: "Merge into delays" }).click();
    await page.waitForURL(/\/merges\//, { timeout: WORK_MS });
    await page.getByText("version made").waitFor();
    await page.getByRole("link", { name: "Compare delays with main" }).click();
    await page.getByText("no conflict").first().waitFor();
  });

  it("runs the update of the branch again, on the rows that it had never seen", async () => {
    const { page } = visit;
    await page.getByText("What both branches did").click();
    await page.getByText("UPDATE 610 rows").click();
    await page.getByRole("link", { name: "Run it again" }).filter({ visible: true }).click();
    await page.getByRole("heading", { name: "SQL on delays" }).waitFor();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("status").filter({ hasText: "Done" }).waitFor({ timeout: WORK_MS });
    const updated = page.locator("dt", { hasText: "rows updated" }).locator("xpath=following-sibling::dd[1]");
    await expect.poll(() => updated.innerText()).toBe("1");
  });

  it("merges, and sees on the audit page what was stored", async () => {
    const { page } = visit;
    await page.getByRole("link", { name: "Compare", exact: true }).click();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("heading", { name: /delays.*main/ }).waitFor();
    await page.getByText("no conflict").first().waitFor();
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("button", { name: "Merge into main" }).click();
    await page.waitForURL(/\/merges\//, { timeout: WORK_MS });
    await page.getByRole("row", { name: /flights\.flights/ }).waitFor();
    await expectAccessible(page);
  });

  it("sees on main what came over", async () => {
    const { page } = visit;
    await page.getByRole("heading").getByRole("link", { name: "main" }).click();
    await page.getByRole("link", { name: "flights", exact: true }).click();
    await page.getByRole("rowheader", { name: "delay_reason" }).waitFor();
  });

  it("takes the merge back as a whole", async () => {
    const { page } = visit;
    await page.getByRole("link", { name: "Merges" }).click();
    await page.getByRole("listitem").filter({ hasText: "merged" }).getByRole("link", { name: "delays → main" }).click();
    await page.getByRole("button", { name: "Revert" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revert" }).click();
    await page.waitForURL(/tab=history|\/tasks\//, { timeout: WORK_MS });
    await page.getByRole("link", { name: "Tables" }).click();
    await page.getByRole("link", { name: "flights", exact: true }).click();
    await page.getByRole("rowheader", { name: "time_hour" }).waitFor();
    await page.getByRole("rowheader", { name: "delay_reason" }).waitFor({ state: "detached" });
  });
});

describe("work on a branch", () => {
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
  });
  afterAll(() => browser.close());

  it("imports a file as a new table, and more rows of it into the same", async () => {
    const { page } = visit;
    const file = (rows: string) => ({ name: "reasons.csv", mimeType: "text/csv", buffer: Buffer.from(`code,reason\n${rows}`) });
    await open(page, "/c/demo/b/airlines_2014");
    await page.getByRole("link", { name: "Import a file" }).click();
    await page.getByLabel("Choose a file").setInputFiles(file("1,late aircraft\n2,weather\n"));
    await page.getByLabel("code is part of the key").check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create flights.reasons" }).click();
    await page.getByRole("link", { name: "See flights.reasons" }).click({ timeout: WORK_MS });
    await expectAccessible(page);
    await page.getByText("2 rows", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Import rows" }).click();
    await page.getByLabel("Choose a file").setInputFiles(file("3,crew\n"));
    await page.getByRole("button", { name: "Append to flights.reasons" }).click();
    await page.getByRole("link", { name: "See flights.reasons" }).click({ timeout: WORK_MS });
    await page.getByText("3 rows", { exact: true }).waitFor();
  });

  it("saves a whole result as a file", async () => {
    const { page } = visit;
    await open(page, `/c/demo/sql?branch=airlines_2014&statement=${encodeURIComponent("SELECT code, reason FROM flights.reasons ORDER BY code")}`);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("status").filter({ hasText: "3 rows" }).waitFor({ timeout: WORK_MS });
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
    expect(download.suggestedFilename()).toMatch(/^demo-airlines_2014-v\d+\.csv$/);
    expect(readFileSync(await download.path(), "utf8").split(/\r?\n/)).toContain('3,"crew"');
  });

  it("underlines the place of a syntax error", async () => {
    const { page } = visit;
    await open(page, `/c/demo/sql?branch=main&statement=${encodeURIComponent("SELECT *\nFROM flights.airlines WHERE (")}`);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("alert").getByText("Syntax error").waitFor();
    await page.locator(".cm-lintRange-error").waitFor();
  });

  it("went without an error on the console", () => {
    // The browser itself reports each refused request; there is one, on purpose.
    const unexpected = visit.complaints.filter((text) => !text.includes("400 (Bad Request)"));
    expect(unexpected).toEqual([]);
  });
});
