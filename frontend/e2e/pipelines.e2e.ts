/** A person copies a pipeline of the demo lake, mends what is wrong with it, tries it, and runs it until its history tells a story. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, expectAccessible, launch, open, signedIn, type Visit } from "./browser";

const WORK_MS = 110_000;
/** A branch of its own, so that the lake stays for the other journeys as it was loaded. */
const BRANCH = "nightly";
const NAME = "seen_nightly";

describe("a pipeline from a copy to its runs", () => {
  let browser: Browser;
  let visit: Visit;
  let address = "";

  const sql = (page: Page, statement: string) => call(page, "POST", "/api/v1/sql/", { statement, catalog: "demo", branch: "main" });
  const editor = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
  const figure = (page: Page, name: string) => page.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");
  const succeeded = (page: Page) => page.getByRole("heading", { level: 1 }).getByText("succeeded").waitFor({ timeout: WORK_MS });

  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
    await sql(visit.page, `CREATE BRANCH ${BRANCH} FROM main`);
  });
  afterAll(async () => {
    const { page } = visit;
    const found = (await call(page, "GET", `/api/v1/pipelines/?catalog=demo&search=${NAME}`)) as { results: { id: number }[] };
    for (const { id } of found.results) await call(page, "DELETE", `/api/v1/pipelines/${id}/`);
    await sql(page, `DROP BRANCH ${BRANCH}`);
    await browser.close();
  });

  it("begins with one of the list, which tells where rows go and how", async () => {
    const { page } = visit;
    await open(page, "/c/demo");
    await page.getByRole("link", { name: "Pipelines" }).click();
    const list = page.getByRole("list", { name: "Pipelines" });
    await expect.poll(() => list.getByRole("listitem").count()).toBe(6);
    await list.getByRole("listitem").filter({ hasText: "flights.last_seen" }).getByText("incremental").waitFor();
    await list.getByRole("link", { name: "last_seen" }).click();
    await page.getByRole("link", { name: "Copy" }).click();
    await page.getByLabel("Name", { exact: true }).fill(NAME);
    await page.getByLabel("Table", { exact: true }).fill(NAME);
    await page.getByRole("combobox", { name: "Branch", exact: true }).selectOption(BRANCH);
  });

  it("shows a mistake at its line, and is made when it is mended", async () => {
    const { page } = visit;
    const config = editor(page, "config.yaml");
    await page.getByText("As file: config.yaml").click();
    await config.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("strikt: true");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Create the pipeline" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("config.yaml, line 5").waitFor();
    await alert.getByText("Did you mean strict?").waitFor();
    await expect.poll(() => config.locator(".cm-lintRange-error").textContent()).toBe("strikt: true");
    await expectAccessible(page);
    await config.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.press("Shift+Home");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Create the pipeline" }).click();
    await page.waitForURL(/\/pipelines\/\d+$/);
    await page.getByRole("heading", { name: NAME }).waitFor();
    address = new URL(page.url()).pathname;
  });

  it("is tried without running it", async () => {
    const { page } = visit;
    await page.getByRole("button", { name: "Show SQL" }).click();
    await page.getByRole("region", { name: "Rendered SQL" }).getByText("WHERE tailnum IS NOT NULL").waitFor({ timeout: WORK_MS });
    await page.getByText(`The first run makes flights.${NAME}.`).waitFor();
    const row = page.getByRole("region", { name: "Effective configuration" }).getByRole("row", { name: /watermark_column/ });
    await row.getByText("config.yaml, line 3").waitFor();
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("region", { name: "Examples of rows" }).getByText("+ inserted").first().waitFor({ timeout: WORK_MS });
    await expectAccessible(page);
  });

  it("runs on Spark, and says what it wrote", async () => {
    const { page } = visit;
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/\/runs\/[0-9a-f-]+$/);
    await succeeded(page);
    await expect.poll(async () => Number((await figure(page, "rows inserted").innerText()).replaceAll(",", ""))).toBeGreaterThan(1000);
    await page.getByRole("list", { name: "Log" }).getByText(/rows$/).first().waitFor();
    await expectAccessible(page);
  });

  it("continues from the watermark the second time", async () => {
    const { page } = visit;
    await open(page, address);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/\/runs\/[0-9a-f-]+$/);
    await succeeded(page);
    await expect.poll(() => figure(page, "rows inserted").innerText()).toBe("0");
    await page.getByRole("tab", { name: "SQL" }).click();
    await page.getByRole("region", { name: "Rendered SQL" }).getByText(/time_hour >= TIMESTAMP '\d{4}-/).waitFor();
  });

  it("asks for what a strategy needs, and marks a run that had to do without", async () => {
    const { page } = visit;
    await open(page, `${address}?tab=strategy`);
    await page.getByRole("radio", { name: /snapshot/ }).check();
    await page.getByText("snapshot requires partition_column.").waitFor();
    const partition = page.getByRole("combobox", { name: "partition_column" });
    await partition.fill("nowhere");
    await page.getByText(`flights.${NAME} has no column nowhere.`).waitFor();
    expect(await page.getByRole("button", { name: "Save to config.yaml" }).isDisabled()).toBe(true);
    await partition.fill("");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save to config.yaml" }).click();
    await page.getByRole("heading", { level: 1 }).getByText("degraded").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/\/runs\/[0-9a-f-]+$/);
    await succeeded(page);
    await page.getByText("Degraded: it ran as full_refresh").waitFor();
    await expectAccessible(page);
  });

  it("has a history with plots, and the degraded mark in the list", async () => {
    const { page } = visit;
    await open(page, `${address}?tab=runs`);
    await expect.poll(() => page.getByRole("list", { name: "Runs" }).getByRole("listitem").count()).toBe(3);
    await page.getByRole("img", { name: /^Rows written by the last 3 runs/ }).waitFor();
    await expectAccessible(page);
    await open(page, `/c/demo/pipelines?search=${NAME}`);
    await page.getByRole("link", { name: "Last run: succeeded, degraded" }).waitFor();
  });

  it("goes back to an earlier version", async () => {
    const { page } = visit;
    await open(page, `${address}?tab=versions&version=2`);
    await page.getByRole("region", { name: "What changed in config.yaml" }).getByRole("row", { name: /added merge_strategy: snapshot/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Version 1" }).click();
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("version 3", { exact: true }).waitFor();
    await page.getByRole("heading", { level: 1 }).getByText("degraded").waitFor({ state: "detached" });
  });

  it("reads files that were dropped into its landing zone, and archives them", async () => {
    const { page } = visit;
    const id = Number(address.split("/").pop());
    const source = "-- @archive_landing_zones: true\nSELECT tailnum FROM {{ landing('tails') }}";
    await call(page, "PATCH", `/api/v1/pipelines/${id}/`, { source, config: "merge_strategy: append_only", table: `${NAME}_landed` });
    await open(page, `${address}?tab=landing`);
    await page.getByText("No file was sent to this zone yet.").waitFor();
    await page.getByLabel("Choose files").setInputFiles({ name: "tails.csv", mimeType: "text/csv", buffer: Buffer.from("tailnum\nN1\nN2\n") });
    const files = page.getByRole("list", { name: "Files of the zone" });
    await files.getByText("waiting").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/\/runs\/[0-9a-f-]+$/);
    await succeeded(page);
    await expect.poll(() => figure(page, "rows inserted").innerText()).toBe("2");
    await open(page, `${address}?tab=landing`);
    await files.getByText("archived").waitFor();
    await files.getByRole("button", { name: "Read tails.csv again" }).click();
    await files.getByText("waiting").waitFor();
  });

  it("went without an error on the console", () => {
    // The browser itself reports each refused request; there is one, on purpose.
    const unexpected = visit.complaints.filter((text) => !text.includes("422 (Unprocessable"));
    expect(unexpected).toEqual([]);
  });
});
