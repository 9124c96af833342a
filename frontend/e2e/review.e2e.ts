/** One person asks for a merge of the demo lake's conflict and decides it, another approves, the first merges. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, expectAccessible, launch, open, REVIEWER, signedIn, WORK_MS, type Visit } from "./browser";

/** Branches of their own, so that the prepared conflict stays for the other journeys. */
const SOURCE = "late";
const DESTINATION = "stable";
const REQUESTS = "/c/demo/requests";

describe("a merge request from opening to merged", () => {
  let browser: Browser;
  let author: Visit;
  let reviewer: Visit;
  let address = "";

  const sql = (page: Page, statement: string) => call(page, "POST", "/api/v1/sql/", { statement, catalog: "demo", branch: "main" });

  beforeAll(async () => {
    browser = await launch();
    author = await signedIn(browser);
    await sql(author.page, `CREATE BRANCH ${SOURCE} FROM delays`);
    await sql(author.page, `CREATE BRANCH ${DESTINATION} FROM main`);
    await call(author.page, "POST", "/api/v1/catalogs/demo/members/", { username: REVIEWER(), role: "reviewer" });
    reviewer = await signedIn(browser, {}, { user: REVIEWER(), password: process.env.LAKEUI_REVIEWER_PASSWORD ?? "" });
  });
  afterAll(async () => {
    const { page } = author;
    const rules = await call(page, "GET", "/api/v1/catalogs/demo/protection-rules/");
    for (const { id } of (rules as { results: { id: number }[] }).results) await call(page, "DELETE", `/api/v1/catalogs/demo/protection-rules/${id}/`);
    await call(page, "DELETE", "/api/v1/catalogs/demo/checks/known carriers/");
    await sql(page, `DROP BRANCH ${SOURCE}`);
    await sql(page, `DROP BRANCH ${DESTINATION}`);
    await browser.close();
  });

  it("protects the target, and keeps a check, in the settings", async () => {
    const { page } = author;
    await open(page, "/c/demo/settings?tab=protection");
    await page.getByRole("button", { name: "Protect branches" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Branches whose name is like").fill(DESTINATION);
    await dialog.getByLabel("Cannot be dropped or renamed").uncheck();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("listitem").filter({ hasText: "merge requests only" }).waitFor();
    await page.getByRole("tab", { name: "Checks" }).click();
    await page.getByRole("button", { name: "New check" }).click();
    await dialog.getByLabel("Name").fill("known carriers");
    await dialog.getByLabel("What it checks").selectOption("A query of my own");
    await dialog.getByLabel("A query over the merged result. The check fails if it returns rows.").fill("SELECT * FROM flights.flights WHERE carrier IS NULL");
    await dialog.getByRole("button", { name: "Try it on main" }).click();
    await dialog.getByText("✓ It finds no rows.").waitFor({ timeout: WORK_MS });
    await dialog.getByLabel("Required of every merge request of the catalog").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("listitem").filter({ hasText: "known carriers" }).waitFor();
  });

  it("is the way on where the comparison refuses a direct merge", async () => {
    const { page } = author;
    await open(page, `/c/demo/compare/${SOURCE}...${DESTINATION}`);
    await page.getByText(`${DESTINATION} takes merge requests only`).waitFor();
    await page.getByRole("link", { name: "Resolve conflicts" }).click();
    await page.getByLabel("Title").fill("Why flights are late");
    await page.getByRole("textbox", { name: "Description" }).fill("From **delays**.");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator("strong", { hasText: "delays" }).waitFor();
    const reviewers = page.getByRole("combobox", { name: "Reviewers" });
    await reviewers.fill(REVIEWER());
    await page.getByRole("button", { name: "Add" }).first().click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Open the merge request" }).click();
    await page.waitForURL(/\/requests\/\d+$/);
    address = new URL(page.url()).pathname;
    await page.getByText("0 of 1 approval", { exact: true }).waitFor();
    await page.getByRole("list", { name: "What is left to do" }).getByText(`${REVIEWER()} reviews it.`).waitFor();
    await expectAccessible(page);
  });

  it("has its conflict decided beside it", async () => {
    const { page } = author;
    await page.getByRole("link", { name: "Resolve" }).click();
    const section = page.getByRole("region", { name: "Decide the conflict" });
    await section.getByRole("list", { name: "What each choice does" }).waitFor({ timeout: WORK_MS });
    await section.getByRole("button", { name: `Keep ${DESTINATION}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: /^Leave out \d/ }).click();
    await section.locator(".badge", { hasText: `Keep ${DESTINATION}` }).waitFor();
    await page.getByText("Which rule decided this?").click();
    await page.getByRole("gridcell", { selected: true }).getByText("decided by a person").waitFor();
    await expectAccessible(page);
  });

  it("has its checks run on what the merge would make", async () => {
    const { page } = author;
    await page.getByRole("tab", { name: "Checks" }).click();
    await page.getByRole("button", { name: "Run the checks" }).click();
    await page.locator(".badge", { hasText: "passed" }).first().waitFor({ timeout: WORK_MS });
    await expectAccessible(page);
  });

  it("waits for the reviewer, who asks about a cell and approves what is there", async () => {
    const { page } = reviewer;
    await open(page, "/");
    await page.getByRole("list", { name: "Waiting for you" }).getByRole("link", { name: "Why flights are late" }).click();
    await page.getByRole("tab", { name: "Comparison" }).click();
    await page.getByText("Which rule decided this?").click();
    await page.getByRole("button", { name: /^Comment on .* × / }).click();
    await page.getByRole("textbox", { name: /^Comment on .* × / }).fill("Are these `late` too?");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("article", { name: `Comment of ${REVIEWER()}` }).waitFor();
    await page.getByRole("tab", { name: /Conversation/ }).click();
    await page.getByText(/A new commit on either branch cancels it/).waitFor();
    await page.getByRole("button", { name: "✓ Approve" }).click();
    await page.getByText("1 of 1 approval", { exact: true }).waitFor();
    await expectAccessible(page);
  });

  it("is merged by its author, and the audit says who approved it", async () => {
    const { page } = author;
    await open(page, address);
    await page.getByText("approved", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.getByText(/^Resolved by/).waitFor();
    await page.getByRole("button", { name: `Merge into ${DESTINATION}` }).click();
    const record = page.getByRole("link", { name: "See changes, who approved it, and revert" });
    await record.waitFor({ timeout: WORK_MS });
    await record.click();
    await page.getByRole("link", { name: /Why flights are late/ }).waitFor();
    await page.getByText(`✓ ${REVIEWER()}`).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: /Why flights are late/ }).click();
    await page.getByRole("tab", { name: "Comparison" }).click();
    await page.getByText(`${SOURCE} changed nothing on ${DESTINATION}.`).waitFor();
    await page.getByText("Decided by a person.").first().waitFor();
  });

  it("stands among the merged ones of the list", async () => {
    const { page } = author;
    await open(page, REQUESTS);
    await page.getByText("No open merge request").waitFor();
    await page.getByLabel("State").selectOption("merged");
    await page.getByRole("list", { name: "Merge requests" }).getByRole("link", { name: "Why flights are late" }).first().waitFor();
    await expectAccessible(page);
  });

  it("went without an error on the console", () => {
    expect([...author.complaints, ...reviewer.complaints]).toEqual([]);
  });
});
