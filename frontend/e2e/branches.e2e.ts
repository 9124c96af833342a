/** The branch graph, and branches made, moved_on, dropped and brought back beside it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { expectAccessible, launch, open, signedIn, statements, type Visit } from "./browser";

describe("the page of a catalog", () => {
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
  });
  afterAll(() => browser.close());

  const drawing = (page: Page) => page.locator("svg.drawing");
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
    const dot = page.locator(".drawing .commit", { hasText: "UPDATE on delays" }).first();
    const title = (await dot.locator("title").textContent()) ?? "";
    expect(title).toMatch(/^v\d+ UPDATE on delays, [\d,]+ rows?, .*UTC\)$/);
    await dot.locator("circle").hover();
    const version = title.slice(0, title.indexOf(" "));
    await page.locator(".commit-row.chosen", { hasText: version }).waitFor();
    await dot.locator("circle").click();
    await page.waitForURL(/\/c\/demo\/b\/delays\?tab=history&commit=/);
    await page.locator("details[open]", { hasText: version }).getByText("SET delay_reason").waitFor();
  });

  it("makes a branch from a commit of the list beneath the graph", async () => {
    const { page } = visit;
    await open(page, "/c/demo");
    const commit = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: /^Branch from version/ }) }).filter({ hasText: "main" }).last();
    const version = await commit.getByRole("link").innerText();
    await commit.getByRole("button").click();
    await page.getByRole("dialog").getByText(`It begins at version ${version.slice(1)}`).waitFor();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("from_graph");
    await page.getByRole("button", { name: "Create" }).click();
    await page.waitForURL(/\/c\/demo\/b\/from_graph$/);
    await page.getByText(`cut from main ${version}`).waitFor();
  });

  it("makes a branch from a commit of a branch's history", async () => {
    const { page } = visit;
    await open(page, "/c/demo/b/delays?tab=history");
    const oldest = page.locator("ol.timeline > li").last();
    await oldest.locator("summary").click();
    await oldest.getByRole("button", { name: "New branch from here" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("from_history");
    await page.getByRole("button", { name: "Create" }).click();
    await page.waitForURL(/\/c\/demo\/b\/from_history$/);
    await page.getByRole("heading", { name: "from_history" }).waitFor();
  });

  it("went without an error on the console", async () => {
    await statements(visit.page, "main", "DROP BRANCH from_graph", "DROP BRANCH from_history");
    expect(visit.complaints).toEqual([]);
  });
});
