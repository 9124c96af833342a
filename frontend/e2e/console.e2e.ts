/** The SQL console completes names and saves results; files of every kind come in. */
import { readFileSync } from "node:fs";

import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { focusedName } from "./by-keyboard";
import { expectAccessible, launch, open, signedIn, statements, WORK_MS, type Visit } from "./browser";

const BRANCH = "console";

/** A statement as the page sends it. */
interface Sent {
  statement: string;
  session?: string;
}

describe("the SQL console", () => {
  let browser: Browser;
  let visit: Visit;
  let parquet: Buffer;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
    await statements(visit.page, "main", `CREATE BRANCH ${BRANCH}`);
  });
  afterAll(() => browser.close());

  const editor = (page: Page) => page.getByRole("textbox", { name: "SQL statement" });
  const clear = (page: Page) => editor(page).press("Control+a");
  const offered = (page: Page, name: string) =>
    page.locator(".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)").getByRole("option", { name, exact: true });
  // The editor takes no key as an answer to a list that has just opened (75 ms), so that who types on accepts nothing unseen.
  const accept = async (page: Page, name: string) => {
    await offered(page, name).waitFor();
    await page.waitForTimeout(250);
    await page.keyboard.press("Enter");
  };

  it("completes the tables of a database, then the columns of a table", async () => {
    const { page } = visit;
    await open(page, `/c/demo/sql?branch=${BRANCH}&statement=SELECT%20`);
    await clear(page);
    await page.keyboard.type("SELECT * FROM flights.airl");
    await offered(page, "airlines").waitFor();
    await expectAccessible(page);
    await accept(page, "airlines");
    await expect.poll(() => editor(page).innerText()).toBe("SELECT * FROM flights.airlines");
    await page.keyboard.type(" WHERE flights.airlines.carr");
    await accept(page, "carrier");
    await expect.poll(() => editor(page).innerText()).toBe("SELECT * FROM flights.airlines WHERE flights.airlines.carrier");
  });

  it("runs by the keyboard, keeps what was run, and underlines where an error is", async () => {
    const { page } = visit;
    await clear(page);
    await page.keyboard.type("SELECT 1 AS one");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("status").filter({ hasText: "1 row" }).waitFor({ timeout: WORK_MS });
    // While one runs no other is taken.
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    await clear(page);
    await page.keyboard.type("SELEC 1");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").waitFor({ timeout: WORK_MS });
    await page.locator(".cm-lintRange-error", { hasText: "SELEC" }).waitFor();
    await expectAccessible(page);
    await page.getByLabel("Earlier statements").click();
    const history = page.getByRole("dialog", { name: "Earlier statements" });
    await history.getByText("SYNTAX_ERROR").first().waitFor();
    await expectAccessible(page);
    await history.getByRole("searchbox").fill("as one");
    await history.getByText("SYNTAX_ERROR").first().waitFor({ state: "detached" });
    await history.getByRole("button", { name: "SELECT 1 AS one", exact: true }).first().click();
    await expect.poll(() => editor(page).innerText()).toBe("SELECT 1 AS one");
  });

  it("asks the branch that is chosen above it", async () => {
    const { page } = visit;
    await page.getByLabel(`Branch ${BRANCH}; switch to another`).click();
    await page.getByRole("link", { name: /^delays/ }).click();
    await page.getByRole("heading", { name: "SQL on demo · delays" }).waitFor();
    await expect.poll(() => editor(page).innerText()).toBe("SELECT 1 AS one");
    const sent = (request: Request): Sent => (request.url().endsWith("/api/v1/sql/") ? (request.postDataJSON() as Sent) : { statement: "" });
    const moved = page.waitForRequest((request) => /^USE BRANCH .*delays/.test(sent(request).statement));
    const asked = page.waitForRequest((request) => sent(request).statement === "SELECT 1 AS one");
    await page.getByRole("button", { name: "Run" }).click();
    expect(sent(await asked).session).toBe(sent(await moved).session);
    await page.getByRole("button", { name: "Run", exact: true }).waitFor({ timeout: WORK_MS });
  });

  it("asks once before a write to the default branch", async () => {
    const { page } = visit;
    // It meets no row: the lake stays as it is.
    await open(page, `/c/demo/sql?branch=main&statement=${encodeURIComponent("DELETE FROM flights.airlines WHERE carrier = 'none'")}`);
    const question = page.getByRole("dialog", { name: "Write to main?" });
    const ran = page.getByRole("status").filter({ hasText: "Done" });
    const run = page.getByRole("button", { name: "Run", exact: true });
    await run.click();
    await question.getByText("main is the default branch.").waitFor();
    await expectAccessible(page);
    // Not the checkbox, though it stands first: Enter answers.
    expect(await page.evaluate(focusedName)).toBe("Cancel");
    await page.keyboard.press("Enter");
    await question.waitFor({ state: "detached" });
    expect(await ran.count()).toBe(0);
    await run.click();
    await question.getByRole("button", { name: "Write to main" }).click();
    await ran.waitFor({ timeout: WORK_MS });
    await run.waitFor();
    const sent = page.waitForRequest((request) => request.url().endsWith("/api/v1/sql/") && (request.postDataJSON() as Sent).statement.startsWith("DELETE"));
    await run.click();
    await sent;
    expect(await question.count()).toBe(0);
    await run.waitFor({ timeout: WORK_MS });
  });

  it("writes out a table that was named without its database", async () => {
    const { page } = visit;
    await open(page, `/c/demo/sql?branch=${BRANCH}&statement=${encodeURIComponent("SELECT count(*) AS n FROM airlines")}`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("Did you mean flights.airlines?", { exact: false }).waitFor({ timeout: WORK_MS });
    await expectAccessible(page);
    await page.getByRole("button", { name: "Write flights.airlines" }).click();
    await expect.poll(() => editor(page).innerText()).toBe("SELECT count(*) AS n FROM flights.airlines");
    // The button is gone, and the editor has the focus.
    await page.keyboard.press("Control+Enter");
    await page.getByRole("status").filter({ hasText: "1 row" }).waitFor({ timeout: WORK_MS });
  });

  it("has the text again after a reload", async () => {
    const { page } = visit;
    await clear(page);
    await page.keyboard.type("SELECT 2 AS two; SELECT 3 AS three");
    await page.reload();
    await expect.poll(() => editor(page).innerText()).toBe("SELECT 2 AS two; SELECT 3 AS three");
    await page.getByRole("button", { name: "Run 2 statements" }).click();
    await page.getByRole("tab", { name: /^2 SELECT 3/, selected: true }).waitFor({ timeout: WORK_MS });
    await expectAccessible(page);
  });

  it("saves a whole result as Parquet", async () => {
    const { page } = visit;
    await open(page, `/c/demo/sql?branch=${BRANCH}&statement=${encodeURIComponent("SELECT carrier, name FROM flights.airlines")}`);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("status").filter({ hasText: "16 rows" }).waitFor({ timeout: WORK_MS });
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Parquet" }).click()]);
    expect(download.suggestedFilename()).toMatch(/^demo-console-v\d+\.parquet$/);
    parquet = readFileSync(await download.path());
    expect([parquet.subarray(0, 4).toString(), parquet.subarray(-4).toString()]).toEqual(["PAR1", "PAR1"]);
  });

  it("takes that Parquet file in again, and a JSON file, each as a new table", async () => {
    const { page } = visit;
    const reasons = [{ code: 1, reason: "late aircraft" }, { code: 2, reason: null }];
    const files = [
      { name: "carriers.parquet", mimeType: "application/octet-stream", buffer: parquet, rows: "16 rows" },
      { name: "reasons.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(reasons)), rows: "2 rows" },
    ];
    for (const { rows, ...file } of files) {
      const table = `flights.${file.name.slice(0, file.name.indexOf("."))}`;
      await open(page, `/c/demo/import?branch=${BRANCH}`);
      await page.getByLabel("Choose a file").setInputFiles(file);
      await page.getByRole("region", { name: "The first rows" }).waitFor({ timeout: WORK_MS });
      await expectAccessible(page);
      await page.getByRole("button", { name: `Create ${table}` }).click();
      await page.getByRole("link", { name: `See ${table}` }).click({ timeout: WORK_MS });
      await page.getByText(rows, { exact: true }).waitFor();
    }
    await page.getByRole("rowheader", { name: "reason" }).waitFor();
  });

  it("reads numbers and dates of a file as its country writes them", async () => {
    const { page } = visit;
    const prices = { name: "prices.csv", mimeType: "text/csv", buffer: Buffer.from("amount;day\n1.234,50;31.12.2025\n7,25;01.02.2026\n") };
    await open(page, `/c/demo/import?branch=${BRANCH}`);
    await page.getByLabel("Choose a file").setInputFiles(prices);
    const sample = page.getByRole("region", { name: "The first rows" });
    await sample.getByText("1.234,50").waitFor({ timeout: WORK_MS });
    await page.getByLabel("Numbers are written").selectOption("1.234,5");
    await sample.getByText("1234.50").waitFor({ timeout: WORK_MS });
    await page.getByLabel("Dates are written").selectOption("31.12.2025, day first");
    await sample.getByText("2025-12-31").waitFor({ timeout: WORK_MS });
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create flights.prices" }).click();
    await page.getByRole("link", { name: "See flights.prices" }).click({ timeout: WORK_MS });
    await page.getByRole("row", { name: /day date/ }).waitFor();
    await page.getByRole("tab", { name: "Rows" }).click();
    await page.getByRole("cell", { name: "2026-02-01" }).waitFor({ timeout: WORK_MS });
  });

  it("went without an error on the console of the browser", async () => {
    // The browser itself reports each refused request; there is one, on purpose.
    expect(visit.complaints.filter((text) => !text.includes("400 (Bad Request)"))).toEqual([]);
    // Last: the page that is open may show one of them, and would ask in vain.
    await statements(visit.page, "main", `DROP BRANCH ${BRANCH}`);
  });
});
