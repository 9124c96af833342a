/** A table made, changed, dropped and undropped, with no line of SQL typed. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { expectAccessible, launch, open, signedIn, statements, WORK_MS, type Visit } from "./browser";

const TABLE = "/c/demo/b/changing/t/flights/visits";

describe("a table that is changed by forms", () => {
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
    await statements(visit.page, "main", "CREATE BRANCH changing");
    await statements(visit.page, "changing", "CREATE TABLE flights.visits (id INT, word STRING)", "INSERT INTO flights.visits VALUES (1, 'one')");
  }, 4 * WORK_MS);
  afterAll(() => browser.close());

  const dialog = () => visit.page.getByRole("dialog");
  const done = () => dialog().waitFor({ state: "detached", timeout: WORK_MS });
  const choose = async (item: string) => {
    await visit.page.getByLabel(/^Change flights\./).click();
    await visit.page.getByRole("button", { name: item }).click();
  };

  it("gets a column, which shows its statement before it runs", async () => {
    const { page } = visit;
    await open(page, TABLE);
    await choose("Add a column …");
    await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("tier");
    await dialog().getByText("ALTER TABLE `flights`.`visits` ADD COLUMN `tier` STRING", { exact: true }).waitFor();
    await expectAccessible(page);
    await dialog().getByRole("button", { name: "Add the column" }).click();
    await done();
    await page.getByRole("rowheader", { name: "tier" }).waitFor();
  });

  it("has a column renamed and retyped", async () => {
    const { page } = visit;
    await page.getByRole("button", { name: "Change tier" }).click();
    await dialog().getByLabel("New name").fill("level");
    await dialog().getByRole("button", { name: "Change the column" }).click();
    await done();
    await page.getByRole("rowheader", { name: "level" }).waitFor();
    await page.getByRole("button", { name: "Change id" }).click();
    await dialog().getByLabel("What to change").selectOption({ label: "Type" });
    await dialog().getByLabel("Type", { exact: true }).fill("BIGINT");
    await expectAccessible(page);
    await dialog().getByRole("button", { name: "Change the column" }).click();
    await done();
    await page.getByRole("row", { name: /id bigint/ }).waitFor();
  });

  it("has a row edited, one added and one deleted, each by a form", async () => {
    const { page } = visit;
    await page.getByRole("tab", { name: "Rows" }).click();
    await page.getByRole("button", { name: "Edit row 1" }).click();
    await dialog().getByRole("textbox", { name: /^word/ }).fill("it's one");
    await dialog().getByText("SET `word` = 'it\\'s one'", { exact: false }).waitFor();
    await expectAccessible(page);
    await dialog().getByRole("button", { name: "Save the row" }).click();
    await done();
    await page.getByRole("cell", { name: "it's one" }).waitFor({ timeout: WORK_MS });
    await page.getByRole("button", { name: "Add a row" }).click();
    await dialog().getByRole("textbox", { name: /^id/ }).fill("2");
    await dialog().getByRole("textbox", { name: /^word/ }).fill("two");
    await expectAccessible(page);
    await dialog().getByRole("button", { name: "Add the row" }).click();
    await done();
    const added = page.getByRole("row", { name: /two/ });
    await added.getByRole("button", { name: /^Delete/ }).click({ timeout: WORK_MS });
    await expectAccessible(page);
    await dialog().getByRole("button", { name: "Delete the row" }).click();
    await done();
    await added.waitFor({ state: "detached", timeout: WORK_MS });
    await page.getByRole("tab", { name: "Columns" }).click();
  });

  it("says in the form why a change is refused, and stays as it was", async () => {
    const { page } = visit;
    await page.getByRole("button", { name: "Change level" }).click();
    await dialog().getByLabel("New name").fill("id");
    await dialog().getByRole("button", { name: "Change the column" }).click();
    await dialog().getByRole("alert").waitFor({ timeout: WORK_MS });
    await expectAccessible(page);
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("rowheader", { name: "level" }).waitFor();
  });

  it("is renamed, and its page goes with it", async () => {
    const { page } = visit;
    await choose("Rename …");
    await dialog().getByLabel("New name").fill("guests");
    await dialog().getByRole("button", { name: "Rename" }).click();
    await page.waitForURL(/\/t\/flights\/guests$/);
    await page.getByRole("heading", { name: "flights.guests" }).waitFor();
  });

  it("is dropped, stands in the trash, and comes back with its rows", async () => {
    const { page } = visit;
    await choose("Drop …");
    await expectAccessible(page);
    await dialog().getByRole("button", { name: "Drop the table" }).click();
    await page.waitForURL(/\?tab=trash$/);
    const trash = page.getByRole("list", { name: "Dropped from changing" });
    await trash.getByText("flights.guests").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Undrop flights.guests" }).click();
    await expectAccessible(page);
    await dialog().getByRole("button", { name: "Undrop" }).click();
    await page.waitForURL(/\/t\/flights\/guests$/);
    await page.getByText("1 row", { exact: true }).first().waitFor({ timeout: WORK_MS });
    await open(page, "/c/demo/b/changing?tab=trash");
    await page.getByRole("tabpanel", { name: "Trash" }).waitFor();
    expect(await page.getByRole("button", { name: "Undrop flights.guests" }).count()).toBe(0);
  });

  it("went with nothing on the console but the refusal", async () => {
    expect(visit.complaints.filter((text) => !/409|400/.test(text))).toEqual([]);
    // Last: the page that is open may show one of them, and would ask in vain.
    await statements(visit.page, "main", "DROP BRANCH changing");
  });
});
