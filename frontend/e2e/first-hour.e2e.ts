/** The first hour of a newcomer without a mouse, timed: every step by Tab, Enter, typing and the keys of the pages. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { expectNoPointer, expectSeenFocus, focusedName, press, reach, watchPointer } from "./by-keyboard";
import { BASE, conflictMade, launch, open, signedIn, statements, WORK_MS, type Visit } from "./browser";

/** Of their own: earlier journeys resolve the conflict of the demo lake, and later ones need what this one would change. */
const SOURCE = "tardy";
const TARGET = "steady";
const CONFLICT = `${TARGET} has 1 new row that the UPDATE of ${SOURCE} did not check.`;
const DESK = "desk";
/** Seconds of the script for one step, on a small machine with others beside it. */
const MOST_SECONDS = 60;

describe("the first hour without a mouse", () => {
  let browser: Browser;
  let page: Page;
  let reviewer: Visit;
  const complaints: string[] = [];
  const times: string[] = [];

  /** Do it, and keep how long it took. */
  const timed = async (what: string, work: () => Promise<void>) => {
    const begun = performance.now();
    await work();
    const seconds = (performance.now() - begun) / 1000;
    times.push(`${what}: ${seconds.toFixed(1)} s`);
    expect(seconds, what).toBeLessThan(MOST_SECONDS);
  };
  const goTo = async (words: string, option: RegExp) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(words);
    await page.getByRole("option", { name: option }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };

  beforeAll(async () => {
    browser = await launch();
    reviewer = await conflictMade(browser, SOURCE, TARGET);
    page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    page.setDefaultTimeout(WORK_MS);
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await watchPointer(page);
    await watchPointer(reviewer.page);
  }, 3 * WORK_MS);
  afterAll(async () => {
    const { page: last } = await signedIn(browser);
    await statements(last, "main", `DROP BRANCH ${SOURCE}`, `DROP BRANCH ${TARGET}`, `DROP BRANCH ${DESK}`);
    await browser.close();
    console.log(times.join("\n"));
  }, WORK_MS);

  it("signs in", () =>
    timed("sign in", async () => {
      await page.goto(`${BASE()}/login/`);
      // The field of the name has the focus: that is what one has come for.
      expect(await page.evaluate(focusedName)).toMatch(/^User name/);
      await page.keyboard.type(process.env.LAKEUI_USER ?? "admin");
      await reach(page, /^Password/, 1);
      await page.keyboard.type(process.env.LAKEUI_PASSWORD ?? "");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${BASE()}/`);
    }));

  it("leaves out the rail, and sees which branch conflicts", () =>
    timed("see the conflict", async () => {
      await page.getByRole("link", { name: `Compare ${SOURCE} with ${TARGET}` }).waitFor();
      await reach(page, "Skip to the content", 1);
      await page.keyboard.press("Enter");
      await press(page, `Compare ${SOURCE} with ${TARGET}`);
      await page.getByText(CONFLICT).waitFor();
    }));

  it("makes a branch", () =>
    timed("make a branch", async () => {
      await goTo("branches", /Branches/);
      await page.getByRole("button", { name: "New branch" }).first().waitFor();
      await press(page, /^New branch/);
      await page.getByRole("dialog").waitFor();
      await page.keyboard.type(DESK);
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`/b/${DESK}$`));
    }));

  it("makes a table by its columns", () =>
    timed("make a table", async () => {
      await page.getByRole("button", { name: "New table" }).waitFor();
      await press(page, "New table");
      await page.getByRole("dialog").waitFor();
      await page.getByRole("textbox", { name: "Name", exact: true }).waitFor();
      expect(await page.evaluate(focusedName)).toBe("Name");
      await page.keyboard.type("reasons");
      await reach(page, "Name of column 2", 10);
      await page.keyboard.type("reason");
      await press(page, "Create the table", 12);
      await page.waitForURL(/\/t\/flights\/reasons/, { timeout: WORK_MS });
    }));

  it("adds a row, and edits it", () =>
    timed("add and edit a row", async () => {
      await page.getByRole("tab", { name: /^Columns/ }).waitFor();
      await reach(page, /^Columns/);
      await page.keyboard.press("ArrowRight");
      await page.getByRole("button", { name: "Add a row" }).waitFor();
      await press(page, "Add a row");
      await page.getByRole("dialog").waitFor();
      await reach(page, /^id/);
      await page.keyboard.type("1");
      await reach(page, /^reason/);
      await page.keyboard.type("fog");
      await press(page, "Add the row");
      await page.getByRole("dialog").waitFor({ state: "detached", timeout: WORK_MS });
      await page.getByRole("cell", { name: "fog" }).waitFor();
      await press(page, /^Edit/);
      await page.getByRole("dialog").waitFor();
      await reach(page, /^reason/);
      await page.keyboard.press("Control+a");
      await page.keyboard.type("dense fog");
      await press(page, "Save the row");
      await page.getByRole("dialog").waitFor({ state: "detached", timeout: WORK_MS });
      await page.getByRole("cell", { name: "dense fog" }).waitFor();
      // A dialog gives the focus back to what opened it.
      await expectSeenFocus(page);
    }));

  it("decides a conflict, which opens a merge request", () =>
    timed("decide the conflict", async () => {
      await goTo("compare", /Compare/);
      await page.getByRole("combobox", { name: "Merge" }).waitFor();
      await reach(page, "Merge");
      await page.keyboard.type(SOURCE);
      await reach(page, "into");
      await page.keyboard.type(TARGET);
      await press(page, "Compare");
      await page.getByRole("button", { name: "Keep both" }).first().waitFor();
      await press(page, "Keep both");
      await page.waitForURL(/\/requests\/\d+/, { timeout: WORK_MS });
      await page.locator(".badge", { hasText: "Keep both" }).first().waitFor();
    }));

  it("is approved by a second person", () =>
    timed("approve", async () => {
      const { page: other } = reviewer;
      // Only the address is given: a link of a message.
      await open(other, new URL(page.url()).pathname);
      await other.getByRole("button", { name: "✓ Approve" }).waitFor();
      await press(other, "✓ Approve");
      await other.getByText(/^1 .*approval/).first().waitFor();
      await expectNoPointer(other);
    }));

  it("merges, and undoes the merge", () =>
    timed("merge and undo", async () => {
      const button = page.getByRole("button", { name: `Merge into ${TARGET}` });
      await expect.poll(() => button.isEnabled(), { timeout: WORK_MS }).toBe(true);
      await press(page, `Merge into ${TARGET}`);
      await page.getByRole("link", { name: "See changes, who approved it, and revert" }).waitFor({ timeout: WORK_MS });
      await press(page, "See changes, who approved it, and revert");
      await page.getByRole("button", { name: "Revert" }).waitFor();
      await press(page, "Revert");
      await page.getByRole("dialog").waitFor();
      await press(page, "Revert", 12);
      await page.waitForURL(new RegExp(`/b/${TARGET}\\?tab=history`), { timeout: WORK_MS });
      await page.getByRole("list", { name: "Commits, newest first" }).locator("> li").first().getByText("RESTORE").first().waitFor();
    }));

  it("brings a dialog to an end by Escape, and is back where it was", async () => {
    await press(page, "New table");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate(focusedName)).toBe("New table");
  });

  it("touched no mouse, and went without an error on the console", async () => {
    await expectNoPointer(page);
    expect([...complaints, ...reviewer.complaints]).toEqual([]);
  });
});
