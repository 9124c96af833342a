/** The branch graph, and branches made, renamed, dropped and undropped beside it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { expectAccessible, launch, open, signedIn, statements, type Visit } from "./browser";

/** A name that SQL wants between backticks. */
const RENAMED = "renamed-there";

describe("the page of a catalog", () => {
  let browser: Browser;
  let visit: Visit;
  /** Where the branch was cut that is renamed, dropped and undropped. */
  let cutAt = "";
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
  });
  afterAll(() => browser.close());

  const drawing = (page: Page) => page.locator(".scroll > svg");
  const width = async (page: Page) => Number(await drawing(page).getAttribute("width"));

  it("zooms the time axis of its graph, as far as it goes", async () => {
    const { page } = visit;
    await open(page, "/c/demo");
    const before = await width(page);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(() => width(page)).toBeGreaterThan(before);
    const zoomOut = page.getByRole("button", { name: "Zoom out" });
    for (let step = 0; step < 3; step += 1) await zoomOut.click();
    await expect.poll(() => zoomOut.isDisabled()).toBe(true);
    await expect.poll(() => width(page)).toBeLessThan(before);
  });

  it("shows the commit under the pointer, and opens it by a click", async () => {
    const { page } = visit;
    await open(page, "/c/demo");
    const dot = drawing(page).locator("g:has(> circle)", { hasText: "UPDATE flights.flights on delays" }).first();
    const title = (await dot.locator("title").textContent()) ?? "";
    expect(title).toMatch(/^v\d+ UPDATE flights\.flights on delays, [\d,]+ rows?, .*UTC\)$/);
    await dot.locator("circle").hover();
    const version = title.slice(0, title.indexOf(" "));
    await page.locator('[aria-current="true"]', { hasText: version }).waitFor();
    await dot.locator("circle").click();
    await page.waitForURL(/\/c\/demo\/b\/delays\?tab=history&commit=/);
    await page.locator("details[open]", { hasText: version }).getByText("SET delay_reason").waitFor();
  });

  it("makes a branch from a commit of the list beneath the graph", async () => {
    const { page } = visit;
    await open(page, "/c/demo");
    const commit = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: /^Branch from version/ }) }).filter({ has: page.locator("bdi", { hasText: /^main$/ }) }).last();
    const version = await commit.getByRole("link").innerText();
    await commit.getByRole("button").click();
    await page.getByRole("dialog").getByText(`Starts at version ${version.slice(1)} of`).waitFor();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("from_graph");
    await page.getByRole("button", { name: "Create" }).click();
    await page.waitForURL(/\/c\/demo\/b\/from_graph$/);
    await page.getByText(`created from main ${version}`).waitFor();
    cutAt = version;
  });

  it("makes a branch from a commit of a branch's history", async () => {
    const { page } = visit;
    await open(page, "/c/demo/b/delays?tab=history");
    const oldest = page.getByRole("list", { name: "Commits, newest first" }).locator("> li").last();
    await oldest.locator("summary").click();
    await oldest.getByRole("button", { name: "New branch from here" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("from_history");
    await page.getByRole("button", { name: "Create" }).click();
    await page.waitForURL(/\/c\/demo\/b\/from_history$/);
    await page.getByRole("heading", { name: "from_history" }).waitFor();
  });

  const branches = (page: Page) => page.getByRole("list", { name: "Branches" });
  const lane = (page: Page, name: string) => drawing(page).locator("text:has(> title)", { hasText: name });

  it("renames a branch, in the list and in the graph", async () => {
    const { page } = visit;
    await open(page, "/c/demo");
    await lane(page, "from_graph").waitFor();
    await page.getByLabel("Change from_graph").click();
    await page.getByRole("button", { name: "Rename" }).click();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill(RENAMED);
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await branches(page).getByRole("link", { name: RENAMED, exact: true }).waitFor();
    await lane(page, RENAMED).waitFor();
    await lane(page, "from_graph").waitFor({ state: "detached" });
  });

  it("drops a branch, after asking once more", async () => {
    const { page } = visit;
    await page.getByLabel(`Change ${RENAMED}`).click();
    await page.getByRole("button", { name: "Drop", exact: true }).click();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Drop", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await branches(page).getByRole("link", { name: RENAMED, exact: true }).waitFor({ state: "detached" });
    await lane(page, RENAMED).waitFor({ state: "detached" });
  });

  it("brings a dropped branch back as it was", async () => {
    const { page } = visit;
    await page.getByLabel("dropped").check();
    await page.getByRole("button", { name: `Undrop ${RENAMED}` }).click();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Undrop" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Undrop ${RENAMED}` }).waitFor({ state: "detached" });
    await page.getByLabel("dropped").uncheck();
    await branches(page).getByRole("link", { name: RENAMED, exact: true }).click();
    await page.getByRole("heading", { name: RENAMED, exact: true }).waitFor();
    await page.getByText(`created from main ${cutAt}`).waitFor();
  });

  it("went without an error on the console", async () => {
    expect(visit.complaints).toEqual([]);
    // Last: the page that is open may show one of them, and would ask in vain.
    await statements(visit.page, "main", `DROP BRANCH \`${RENAMED}\``, "DROP BRANCH from_history");
  });
});
