/** A newcomer finds the conflict of the demo lake, understands it, solves it on the branch, merges, and takes the merge back. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launch, open, signedIn, type Visit } from "./browser";

const WORK_MS = 90_000;

describe("from the start page to a merge that is taken back", () => {
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
  });
  afterAll(() => browser.close());

  it("finds the conflict from the start page", async () => {
    const { page } = visit;
    const row = page.getByRole("listitem").filter({ hasText: "delays" });
    await row.getByText("1 conflict").waitFor();
    await row.getByRole("link", { name: "Compare delays with main" }).click();
    await page.getByRole("gridcell", { selected: true }).getByText("conflict").waitFor();
    await page.getByText("The destination has new rows that the source's update never looked at.").waitFor();
    expect(await page.getByRole("button", { name: "Merge", exact: true }).isDisabled()).toBe(true);
  });

  it("records a dry run that says the same", async () => {
    const { page } = visit;
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("1 conflict would refuse this merge.").waitFor({ timeout: WORK_MS });
    await page.goBack();
  });

  it("pulls main into the branch", async () => {
    const { page } = visit;
    await page.getByRole("link", { name: "Merge main into delays" }).click();
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("button", { name: "Merge into delays" }).click();
    await page.waitForURL(/\/merges\//, { timeout: WORK_MS });
    await page.getByText("version made").waitFor();
  });

  it("updates again on the branch, with SQL", async () => {
    const { page } = visit;
    const statement = "UPDATE flights.flights SET delay_reason = 'late aircraft' WHERE dep_delay > 300";
    await open(page, `/c/demo/sql?branch=delays&statement=${encodeURIComponent(statement)}`);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("status").filter({ hasText: "Done" }).waitFor({ timeout: WORK_MS });
  });

  it("merges, and sees on the audit page what was stored", async () => {
    const { page } = visit;
    await open(page, "/c/demo/compare/delays...main");
    await page.getByText("no conflict").first().waitFor();
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByRole("button", { name: "Merge into main" }).click();
    await page.waitForURL(/\/merges\//, { timeout: WORK_MS });
    await page.getByRole("row", { name: /flights\.flights/ }).waitFor();
  });

  it("shows what came over on main", async () => {
    const { page } = visit;
    await open(page, "/c/demo/b/main/t/flights/flights");
    await page.getByRole("rowheader", { name: "delay_reason" }).waitFor();
  });

  it("takes the merge back as a whole", async () => {
    const { page } = visit;
    await open(page, "/c/demo/merges");
    await page.getByRole("link", { name: "delays → main" }).first().click();
    await page.getByRole("button", { name: "Take it back" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Take it back" }).click();
    await page.waitForURL(/tab=history|\/tasks\//, { timeout: WORK_MS });
    await open(page, "/c/demo/b/main/t/flights/flights");
    await page.getByRole("rowheader", { name: "time_hour" }).waitFor();
    expect(await page.getByRole("rowheader", { name: "delay_reason" }).count()).toBe(0);
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
