/** The whole review by the keyboard: a conflict found, understood and solved on the branch, merged, and taken back. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { focusedName, reach } from "./by-keyboard";
import { expectAccessible, launch, open, signedIn, statements, WORK_MS, type Visit } from "./browser";

async function choosePair(page: Page, source: string, destination: string): Promise<void> {
  await page.getByRole("heading", { name: "Compare branches" }).waitFor();
  await page.getByRole("combobox", { name: "Merge" }).waitFor();
  await reach(page, "Merge");
  await page.keyboard.type(source);
  await expect.poll(() => page.getByRole("combobox", { name: "Merge" }).inputValue()).toBe(source);
  await reach(page, "into");
  await page.keyboard.type(destination);
  await expect.poll(() => page.getByRole("combobox", { name: "into" }).inputValue()).toBe(destination);
  await reach(page, "Compare");
  await page.keyboard.press("Enter");
  await page.getByRole("listbox", { name: "Changed objects" }).getByRole("option").first().waitFor();
}

async function merge(page: Page, destination: string): Promise<void> {
  await page.getByText("no conflict").first().waitFor();
  await reach(page, "Merge");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await reach(page, `Merge into ${destination}`);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/merges\//, { timeout: WORK_MS });
  await page.getByText("version made").waitFor();
}

describe("without a mouse", () => {
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
    const { page } = visit;
    await statements(page, "main", "CREATE BRANCH keyboard", "CREATE BRANCH shore");
    await statements(page, "keyboard", "UPDATE flights.airlines SET name = upper(name) WHERE carrier = 'UA'");
    await statements(page, "shore", "INSERT INTO flights.airlines VALUES ('XX', 'Xenon Air')");
  }, 3 * WORK_MS);
  afterAll(() => browser.close());

  it("lists its keys, and closes the list", async () => {
    const { page } = visit;
    await open(page, "/c/demo");
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByRole("heading", { name: "Keys" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("finds two branches and why they conflict", async () => {
    const { page } = visit;
    await page.keyboard.press("Control+k");
    await page.keyboard.type("compare");
    await page.getByRole("option", { name: /Compare/ }).first().waitFor();
    await page.keyboard.press("Enter");
    await choosePair(page, "keyboard", "shore");
    await page.getByText("shore has 1 new row that the UPDATE of keyboard did not check.").waitFor();
    await reach(page, /^Which rule decided this/);
    await page.keyboard.press("Enter");
    await reach(page, /^Update × Insert: conflict/);
    await page.keyboard.press("Enter");
    await page.getByText("The target has new rows that the source's update never looked at.").waitFor();
  });

  it("solves it on the branch: takes what it had not seen, and runs its update again", async () => {
    const { page } = visit;
    await reach(page, "Merge shore into keyboard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /shore.*keyboard/ }).waitFor();
    await merge(page, "keyboard");
    await reach(page, "Compare keyboard with shore");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /keyboard.*shore/ }).waitFor();
    await page.getByText("no conflict").first().waitFor();
    await reach(page, /^What both branches did/);
    await page.keyboard.press("Enter");
    await reach(page, /^v\d+\s*UPDATE/);
    await page.keyboard.press("Enter");
    await reach(page, "Run it again");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "SQL statement" }).waitFor();
    await expect.poll(() => page.evaluate(focusedName)).toBe("SQL statement");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("status").filter({ hasText: "Done" }).waitFor({ timeout: WORK_MS });
  });

  it("merges, and takes the merge back", async () => {
    const { page } = visit;
    await page.keyboard.press("Control+k");
    await page.keyboard.type("compare");
    await page.getByRole("option", { name: /Compare/ }).first().waitFor();
    await page.keyboard.press("Enter");
    await choosePair(page, "keyboard", "shore");
    await merge(page, "shore");
    await reach(page, "Revert");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await reach(page, "Revert");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/c\/demo\/b\/shore\?tab=history/, { timeout: WORK_MS });
    await page.getByRole("list", { name: "Commits, newest first" }).locator("> li").first().getByText("RESTORE").first().waitFor();
  });

  it("went without an error on the console", async () => {
    expect(visit.complaints).toEqual([]);
    // Last: the page that is open may show one of them, and would ask in vain.
    await statements(visit.page, "main", "DROP BRANCH keyboard", "DROP BRANCH shore");
  });
});
