/** The page of a server whose front end was not built. */
import { renameSync } from "node:fs";
import { join } from "node:path";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";

import { BASE, expectAccessible, launch, open, signedIn, type Visit } from "./browser";

describe("without the bundle", () => {
  const manifest = join(process.env.LAKEUI_HOME ?? "", "static", "app", "manifest.json");
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    browser = await launch();
    visit = await signedIn(browser);
    renameSync(manifest, `${manifest}.away`);
  });
  afterAll(async () => {
    renameSync(`${manifest}.away`, manifest);
    await browser.close();
  });

  it("says what to run, in every theme and width", async () => {
    const { page } = visit;
    for (const theme of ["light", "dark", "contrast"]) {
      await page.evaluate((chosen) => (document.cookie = `theme=${chosen}; path=/`), theme);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${BASE()}/c/demo`);
        await page.getByText("make up").waitFor();
        await expectAccessible(page);
      }
    }
  });

  it("is there again after a build, without a restart", async () => {
    const { page } = visit;
    renameSync(`${manifest}.away`, manifest);
    await open(page, "/c/demo");
    await page.getByRole("heading", { name: "demo" }).waitFor();
    renameSync(manifest, `${manifest}.away`);
  });
});
