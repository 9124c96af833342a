/** A value is suggested in a review, and becomes a commit of the source, with a primary key and without one. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, expectAccessible, launch, open, REVIEWER, signedIn, statements, WORK_MS, type Visit } from "./browser";

const SOURCE = "advised";
const TARGET = "advice";
const KEYED = "flights.notes";
const FREE = "flights.remarks";

describe("suggested values", () => {
  let browser: Browser;
  let author: Visit;
  let reviewer: Visit;
  let address = "";

  beforeAll(async () => {
    browser = await launch();
    author = await signedIn(browser);
    const { page } = author;
    await statements(page, "main", `CREATE BRANCH ${TARGET}`);
    await statements(
      page,
      TARGET,
      `CREATE TABLE ${KEYED} (id BIGINT NOT NULL PRIMARY KEY, note STRING)`,
      `INSERT INTO ${KEYED} VALUES (1, 'fog'), (2, 'ice')`,
      `CREATE TABLE ${FREE} (id BIGINT, note STRING)`,
      `INSERT INTO ${FREE} VALUES (1, 'fog'), (2, 'ice')`,
      `CREATE BRANCH ${SOURCE} FROM ${TARGET}`,
    );
    await statements(page, SOURCE, `UPDATE ${KEYED} SET note = 'dense fgo' WHERE id = 1`, `UPDATE ${FREE} SET note = 'dense fgo' WHERE id = 1`);
    // Another journey may have made them a member already; asking twice would be an error on the console.
    const members = (await call(page, "GET", "/api/v1/catalogs/demo/members/")) as { results: { username: string }[] };
    if (!members.results.some(({ username }) => username === REVIEWER())) await call(page, "POST", "/api/v1/catalogs/demo/members/", { username: REVIEWER(), role: "reviewer" });
    const made = (await call(page, "POST", "/api/v1/catalogs/demo/merge-requests/", { source: SOURCE, destination: TARGET, title: "Notes" })) as { number: number };
    address = `/c/demo/requests/${String(made.number)}`;
    reviewer = await signedIn(browser, {}, { user: REVIEWER(), password: process.env.LAKEUI_REVIEWER_PASSWORD ?? "" });
  }, 3 * WORK_MS);
  afterAll(async () => {
    await statements(author.page, "main", `DROP BRANCH ${SOURCE}`, `DROP BRANCH ${TARGET}`);
    await browser.close();
  }, WORK_MS);

  /** Open the form of a comment on the note of the row that the source changed. */
  async function onNote(page: Page, table: string) {
    await page.getByRole("listbox", { name: "Changed objects" }).getByRole("option", { name: new RegExp(table.replace("flights.", "")) }).click();
    await page.getByRole("heading", { name: table }).waitFor();
    const rows = page.getByRole("region", { name: `Rows that ${SOURCE} changed` });
    await rows.getByRole("button", { name: /^Comment on row/ }).first().click();
    await rows.getByRole("combobox", { name: "On" }).selectOption("note");
    return rows;
  }

  it("is suggested by a reviewer, with a primary key and without one", async () => {
    const { page } = reviewer;
    await open(page, `${address}?tab=compare`);
    for (const table of [FREE, KEYED]) {
      const rows = await onNote(page, table);
      await rows.getByRole("checkbox", { name: "Suggest another value than dense fgo" }).check();
      await rows.getByRole("textbox", { name: "Suggested string" }).fill("dense fog");
      await expectAccessible(page);
      await rows.getByRole("button", { name: "Comment", exact: true }).click();
      await rows.getByText("open", { exact: true }).waitFor();
    }
  });

  it("becomes a commit of the source that names who suggested it", async () => {
    const { page } = author;
    await open(page, address);
    for (const applied of [0, 1]) {
      await page.getByRole("button", { name: "Apply suggestion" }).first().click();
      await page.getByText(/^applied by .* in v\d+$/).nth(applied).waitFor({ timeout: WORK_MS });
    }
    await expectAccessible(page);
    await open(page, `/c/demo/b/${SOURCE}/t/flights/notes?tab=rows`);
    await page.getByRole("cell", { name: "dense fog" }).waitFor();
    await open(page, `/c/demo/b/${SOURCE}?tab=history`);
    const newest = page.getByRole("list", { name: "Commits, newest first" }).locator("> li").first();
    await newest.locator("summary").first().click();
    await newest.getByText(`suggested by ${REVIEWER()}`, { exact: false }).waitFor();
  });

  it("went without an error on the console", () => {
    expect([...author.complaints, ...reviewer.complaints]).toEqual([]);
  });
});
