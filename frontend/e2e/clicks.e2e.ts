/** The table of clicks in docs/internals/pages.md: each task is done with the mouse, and takes as many clicks as it says. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { BASE, conflictMade, expectAccessible, launch, open, signedIn, statements, WORK_MS } from "./browser";

/** Of their own: other journeys need the conflict of the demo lake. */
const SOURCE = "clicked";
const TARGET = "clicking";
const DESK = "click_desk";
/** A pipeline of the demo lake. */
const PIPELINE = "delays_by_day";
/** A catalog that a token for another one does not see. */
const OTHER = `other_${String(Date.now())}`;
const INVITED = `clicked_${String(Date.now())}`;
const TABLE = `/c/demo/b/${DESK}/t/flights/reasons`;
const PAGE = resolve(import.meta.dirname, "../../docs/internals/pages.md");

/** What the document says, by task. */
function documented(): Map<string, number> {
  const text = readFileSync(PAGE, "utf8").split("## Clicks of the first hour")[1] ?? "";
  const rows = text.split("\n").flatMap((line) => /^\| ([^|]+) \| (\d+) \|/.exec(line)?.slice(1, 3) ?? []);
  return new Map(rows.flatMap((cell, at) => (at % 2 ? [] : [[cell.trim(), Number(rows[at + 1])]])));
}

/** Clicks that the browser saw, on all pages of a tab since it was asked last. */
async function countClicks(page: Page): Promise<void> {
  await page.context().addInitScript(() => {
    addEventListener(
      "pointerdown",
      (event) => {
        if (event.isTrusted) localStorage.setItem("clicks", String(Number(localStorage.getItem("clicks")) + 1));
      },
      true,
    );
  });
}

async function clicksUntilNow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const clicks = Number(localStorage.getItem("clicks"));
    localStorage.removeItem("clicks");
    return clicks;
  });
}

/** The names of the catalogs that exist for a token. */
async function catalogsOf(token: string): Promise<string[]> {
  const answer = await fetch(`${BASE()}/api/v1/catalogs/`, { headers: { Authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { results: { name: string }[] }).results.map(({ name }) => name);
}

describe("the clicks that a task takes", () => {
  let browser: Browser;
  let page: Page;
  let reviewer: Page;
  const expected = documented();
  const done = new Map<string, number>();

  /** Begin at a page, do the task, and see what the document says of it. */
  async function task(name: string, from: string | undefined, work: () => Promise<void>, on = page): Promise<void> {
    if (from) await open(on, from);
    await clicksUntilNow(on);
    await work();
    done.set(name, await clicksUntilNow(on));
    expect(done.get(name), name).toBe(expected.get(name));
  }
  const button = (name: string | RegExp, within: Page | Locator = page) => within.getByRole("button", { name, exact: typeof name === "string" });
  const dialog = () => page.getByRole("dialog");
  const ranWell = async () => {
    await page.waitForURL(/\/runs\/[0-9a-f-]+$/);
    await page.getByRole("heading", { level: 1 }).getByText("succeeded").waitFor({ timeout: WORK_MS });
    await page.locator("dt", { hasText: "rows inserted" }).waitFor();
  };
  const closed = () => dialog().waitFor({ state: "detached", timeout: WORK_MS });

  beforeAll(async () => {
    browser = await launch();
    ({ page: reviewer } = await conflictMade(browser, SOURCE, TARGET, { viewport: { width: 1440, height: 900 } }));
    await countClicks(reviewer);
    ({ page } = await signedIn(browser, { viewport: { width: 1440, height: 900 } }));
    await countClicks(page);
    // The first task is to sign in.
    await page.context().clearCookies();
  }, 3 * WORK_MS);
  afterAll(async () => {
    const { page: last } = await signedIn(browser);
    await statements(last, "main", `DROP BRANCH ${SOURCE}`, `DROP BRANCH ${TARGET}`, `DROP BRANCH ${DESK}`, `DROP BRANCH IF EXISTS \`${SOURCE}-again\``, `DROP CATALOG IF EXISTS ${OTHER}`);
    await browser.close();
  }, WORK_MS);

  it("to sign in, and to see what there is", async () => {
    await page.goto(`${BASE()}/login/`);
    await page.getByLabel("User name").fill(process.env.LAKEUI_USER ?? "admin");
    await page.getByLabel("Password").fill(process.env.LAKEUI_PASSWORD ?? "");
    await clicksUntilNow(page);
    await button("Sign in").click();
    await page.getByRole("listitem").filter({ hasText: SOURCE }).getByText("1 table in conflict").waitFor();
    done.set("sign in and see which branch conflicts", await clicksUntilNow(page));
    expect(done.get("sign in and see which branch conflicts")).toBe(expected.get("sign in and see which branch conflicts"));
    await task("see the branch graph", undefined, async () => {
      await page.getByRole("main").getByRole("link", { name: "demo", exact: true }).click();
      await page.locator(".scroll > svg").waitFor();
    });
    await task("make a branch", undefined, async () => {
      await button("New branch").click();
      await dialog().getByRole("textbox", { name: "Name" }).fill(DESK);
      await button("Create", dialog()).click();
      await page.waitForURL(new RegExp(`/b/${DESK}$`));
    });
  });

  it("to make a table, and to change its rows and columns", async () => {
    await task("make a table by its columns, with a key", undefined, async () => {
      await button("New table").click();
      await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("reasons");
      await dialog().getByLabel("Name of column 2").fill("reason");
      await button("Create the table", dialog()).click();
      await page.waitForURL(/\/t\/flights\/reasons/, { timeout: WORK_MS });
    });
    await task("add a column", TABLE, async () => {
      await button("Add a column").click();
      await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("since");
      await button("Add the column", dialog()).click();
      await closed();
    });
    await task("add a row", `${TABLE}?tab=rows`, async () => {
      await button("Add a row").click();
      await dialog().getByRole("textbox", { name: /^id/ }).fill("1");
      await dialog().getByRole("textbox", { name: /^reason/ }).fill("fog");
      await button("Add the row", dialog()).click();
      await closed();
    });
    await task("edit a value of a row", TABLE, async () => {
      await page.getByRole("tab", { name: "Rows" }).click();
      await button("Edit row 1").click();
      await dialog().getByRole("textbox", { name: /^reason/ }).fill("dense fog");
      await button("Save the row", dialog()).click();
      await closed();
    });
    await task("compare a branch with main", `/c/demo/b/${DESK}`, async () => {
      await page.getByRole("link", { name: "Compare with main" }).click();
      await page.getByText(`${DESK} would bring`, { exact: false }).first().waitFor();
    });
    await task("delete a row", `${TABLE}?tab=rows`, async () => {
      await button("Delete row 1").click();
      await button("Delete the row", dialog()).click();
      await closed();
    });
  });

  it("to resolve, approve, merge, undo and merge again", async () => {
    let record = "";
    await task("see the rows in conflict, and decide them", "/", async () => {
      await page.getByRole("link", { name: `Compare ${SOURCE} with ${TARGET}` }).click();
      await button("Keep both").first().click();
      await page.waitForURL(/\/requests\/\d+/, { timeout: WORK_MS });
      await page.locator(".badge", { hasText: "Keep both" }).first().waitFor();
    });
    await task("comment on the request", new URL(page.url()).pathname, async () => {
      await page.getByRole("textbox", { name: /comment|say/i }).first().fill("Quiet Air is new");
      await button("Comment").last().click();
      await page.getByText("Quiet Air is new").first().waitFor();
    });
    await task(
      "approve as a second person",
      "/",
      async () => {
        await reviewer.getByRole("link", { name: "Merge requests" }).first().click();
        // The start page has links with this name too.
        await reviewer.waitForURL(/\/requests$/);
        await reviewer.getByRole("link", { name: new RegExp(SOURCE) }).first().click();
        await button("✓ Approve", reviewer).click();
        await reviewer.getByText(/^1 .*approval/).first().waitFor();
      },
      reviewer,
    );
    await task("merge, and see what came of it", new URL(page.url()).pathname, async () => {
      await button(`Merge into ${TARGET}`).click();
      await page.getByRole("link", { name: "See changes, who approved it, and revert" }).click();
      await button("Revert").waitFor();
      record = new URL(page.url()).pathname;
    });
    await task("undo the merge", undefined, async () => {
      await button("Revert").click();
      await button("Revert", dialog()).click();
      await page.waitForURL(new RegExp(`/b/${TARGET}\\?tab=history`), { timeout: WORK_MS });
    });
    await task("merge it again after that", record, async () => {
      await page.getByRole("link", { name: /^Merge request #\d+$/ }).click();
      await button("Merge again …").click();
      await expectAccessible(page);
      await button("Open the merge request", dialog()).click();
      await page.waitForURL(/\/requests\/\d+$/, { timeout: WORK_MS });
      await page.getByRole("link", { name: `${SOURCE}-again` }).first().waitFor({ timeout: WORK_MS });
      await page.getByText(/^Merges #\d+ again: version \d+ of/).waitFor();
    });
  });

  it("to bring data in, by a file and by a pipeline", async () => {
    await task("import a CSV file as a table", `/c/demo/b/${DESK}`, async () => {
      await page.getByRole("link", { name: "Import a file" }).click();
      const chooser = page.waitForEvent("filechooser");
      await page.getByText("choose one").click();
      await (await chooser).setFiles({ name: "crews.csv", mimeType: "text/csv", buffer: Buffer.from("code,crew\n1,late\n") });
      await button("Create flights.crews").click();
      await page.getByRole("link", { name: "See flights.crews" }).waitFor({ timeout: WORK_MS });
    });
    await task("make a pipeline by a strategy's card", "/c/demo/pipelines", async () => {
      await page.getByRole("link", { name: "New pipeline" }).click();
      await page.getByRole("radio", { name: /Append only/ }).click();
      await page.getByLabel("Name", { exact: true }).fill(DESK);
      await page.getByLabel("Database", { exact: true }).fill("flights");
      await page.getByLabel("Table", { exact: true }).fill(DESK);
      await button("Create the pipeline").click();
      await page.getByRole("heading", { level: 1, name: DESK }).waitFor();
    });
    await task("run a pipeline, and see what it wrote", "/c/demo/pipelines", async () => {
      await page.getByRole("link", { name: PIPELINE, exact: true }).click();
      await button("Run").click();
      await ranWell();
    });
    const strategies = `${new URL(page.url()).pathname.replace(/\/runs\/.*$/, "")}?tab=strategy`;
    await task("run it by another strategy", strategies, async () => {
      await page.getByRole("radio", { name: /append_only/ }).click();
      await button("Save to config.yaml").click();
      await button("Run").click();
      await ranWell();
    });
  });

  it("to bring back what was", async () => {
    await task("restore a table to an old version", TABLE, async () => {
      const slider = page.getByRole("slider");
      const box = await slider.boundingBox();
      await slider.click({ position: { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 } });
      await button("Restore this version").click();
      await button("Restore", dialog()).click();
      await closed();
    });
    await task("drop a table", TABLE, async () => {
      await page.getByLabel("Change flights.reasons").click();
      await button("Drop …").click();
      await button("Drop the table").click();
      await page.getByRole("list", { name: /dropped/i }).waitFor({ timeout: WORK_MS });
    });
    await task("bring it back", undefined, async () => {
      await button(/^Undrop .*reasons/).click();
      await button("Undrop", dialog()).click();
      await closed();
    });
  });

  it("to let people in, and to protect a branch", async () => {
    await task("make a token", "/settings", async () => {
      await button("New token").click();
      await dialog().getByLabel("Name", { exact: true }).fill(DESK);
      await button("Create", dialog()).click();
      await button("I have it", dialog()).waitFor();
    });
    await statements(page, "main", `CREATE CATALOG ${OTHER}`);
    await task("make a token for one catalog", "/settings", async () => {
      await button("New token").click();
      await dialog().getByLabel("Name", { exact: true }).fill(`${DESK} of demo`);
      await dialog().getByLabel(/^Only these/).click();
      await dialog().getByLabel(OTHER).waitFor();
      await dialog().getByLabel("demo", { exact: true }).click();
      await expectAccessible(page);
      await button("Create", dialog()).click();
      await button("I have it", dialog()).waitFor();
    });
    expect(await catalogsOf((await dialog().locator(".copyable code").textContent()) ?? "")).toEqual(["demo"]);
    await button("I have it", dialog()).click();
    await page.getByRole("listitem").filter({ hasText: `${DESK} of demo` }).getByText(/ in demo$/).waitFor();
    await task("invite a person", "/people", async () => {
      await button("Invite").click();
      await dialog().getByLabel("User name").fill(INVITED);
      await button("Invite", dialog()).click();
      await button("I have it", dialog()).waitFor();
    });
    await task("add a member to a catalog", "/c/demo/settings", async () => {
      await page.getByLabel("User name").fill(INVITED);
      await button("Add").first().click();
      await page.getByRole("list", { name: "Members" }).getByRole("button", { name: `Remove ${INVITED}` }).waitFor();
    });
    await task("protect a branch", "/c/demo/settings?tab=protection", async () => {
      await button("Protect branches").click();
      await dialog().getByLabel("Branches whose name is like").fill("click_protected");
      await button("Save", dialog()).click();
      await closed();
    });
    await task("make a check", "/c/demo/settings?tab=checks", async () => {
      await button("New check").click();
      await dialog().getByLabel("Name", { exact: true }).fill(DESK);
      await dialog().getByLabel("What it checks").selectOption("A query of my own");
      await dialog().getByLabel("A query over the merged result. The check fails if it returns rows.").fill("SELECT * FROM flights.airlines WHERE carrier IS NULL");
      await button("Save", dialog()).click();
      await closed();
    });
    await task("make a webhook", "/c/demo/settings?tab=webhooks", async () => {
      await button("New webhook").click();
      await dialog().getByLabel("Address").fill("http://127.0.0.1:9/clicks");
      await button("Save", dialog()).click();
      await button("I have it", dialog()).waitFor();
    });
  });

  it("are all of those that the document names", () => {
    expect([...expected.keys()].toSorted()).toEqual([...done.keys()].toSorted());
  });
});
