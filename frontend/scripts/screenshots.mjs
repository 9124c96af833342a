// Pictures of pages of a running server: node scripts/screenshots.mjs FOLDER [PATH=NAME …]
// LAKEUI_URL, LAKEUI_USER and LAKEUI_PASSWORD say where and as whom; WIDTHS and THEMES narrow what is taken.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const {
  LAKEUI_URL: base = "http://127.0.0.1:8000",
  LAKEUI_USER: user = "admin",
  LAKEUI_PASSWORD: password = "",
  CHROMIUM: executablePath = "/usr/bin/chromium",
  WIDTHS: widths = "1280,390",
  THEMES: themes = "light,dark",
} = process.env;
const PAGES = {
  "/": "home",
  "/c/demo": "catalog",
  "/c/demo/b/main": "branch",
  "/c/demo/b/main?tab=history": "branch-history",
  "/c/demo/b/main/t/flights/flights": "table",
  "/c/demo/b/main/t/flights/flights?tab=rows": "table-rows",
  "/c/demo/b/main/t/flights/flights?tab=segments": "table-segments",
  "/c/demo/compare/delays...main": "compare",
  "/c/demo/merges": "merges",
  "/tasks": "tasks",
  "/c/demo/sql?branch=main": "sql",
};
const [folder = "screenshots", ...chosen] = process.argv.slice(2);
const pages = chosen.length
  ? Object.fromEntries(chosen.map((entry) => [entry.slice(0, entry.lastIndexOf("=")), entry.slice(entry.lastIndexOf("=") + 1)]))
  : PAGES;

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  for (const theme of themes.split(",")) {
    for (const width of widths.split(",").map(Number)) {
      const context = await browser.newContext({ viewport: { width, height: width < 800 ? 844 : 800 }, colorScheme: theme });
      const page = await context.newPage();
      page.on("pageerror", (error) => console.error(`page error: ${error.message}`));
      page.on("console", (message) => message.type() === "error" && console.error(`console: ${message.text()}`));
      await page.goto(`${base}/login/`);
      await page.fill("#id_username", user);
      await page.fill("#id_password", password);
      await page.click("button[type=submit]");
      for (const [path, name] of Object.entries(pages)) {
        await page.goto(base + path);
        await page.waitForLoadState("networkidle");
        await page.waitForTimeout(250);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        if (wide) console.error(`${path} is wider than ${width} px`);
        await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) });
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
}
