// How soon the comparison of a large table can be read: node scripts/large-comparison.mjs [CATALOG]
// Makes the catalog where it is not there: a table of LARGE_ROWS rows (10,000,000) and 11 columns without a key, 1% of them
// updated on branch dev and 0.1% on main. A person can read it when the first row in conflict is drawn. LAKEUI_URL,
// LAKEUI_USER and LAKEUI_PASSWORD say where and as whom.
import { chromium } from "playwright-core";

import { FLAGS, signIn } from "./browser.mjs";
import { drawnAt, opened, percentile, run } from "./measuring.mjs";

const WARM = { rounds: 40, goal: 300 };
const COLD = { rounds: 10, goal: 2000 };
const PATIENCE_MS = 180_000;
const { LAKEUI_URL: base = "http://127.0.0.1:8000", LARGE_ROWS: rows = "10000000", CHROMIUM: executablePath = "/usr/bin/chromium" } = process.env;
const [catalog = "large_comparison"] = process.argv.slice(2);
const COMPARE = `/c/${catalog}/compare/dev...main`;
const ROW = '[aria-label="Chosen object"] td:is(.changed, .clash)';

const browser = await chromium.launch({ executablePath, args: FLAGS });
let isTooSlow = false;
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await signIn(page);
  await made(page);
  await opened(page, COMPARE, ROW);
  report("pressed on the page of the branch", WARM, await rounds(WARM, () => pressed(page)));
  report("opened by its address", WARM, await rounds(WARM, () => opened(page, COMPARE, ROW)));
  report("first look of anyone, by its address", COLD, await rounds(COLD, (round) => firstLook(page, round)));
} finally {
  await browser.close();
}
if (isTooSlow) process.exit(1);

function report(what, { goal }, times) {
  const [median, slow] = [percentile(times, 0.5), percentile(times, 0.95)];
  console.log(`${what.padEnd(40)} median ${median.toFixed(0)} ms, p95 ${slow.toFixed(0)} ms  at most ${goal}: ${slow <= goal ? "yes" : "NO"}`);
  if (slow > goal) isTooSlow = true;
}

async function rounds({ rounds: count }, measure) {
  const times = [];
  for (let round = 0; round < count; round += 1) times.push(await measure(round));
  return times;
}

async function made(page) {
  const found = await page.request.get(`${base}/api/v1/catalogs/${catalog}/`);
  if (found.ok()) return;
  const texts = [1, 2, 3, 4].map((number) => `concat('text ', id % ${number * 1000}) AS s${number}`);
  const numbers = [1, 2, 3, 4].map((number) => `CAST(id * ${number} % 100003 AS DOUBLE) AS n${number}`);
  const columns = ["id", "CAST(id % 1000 AS INT) AS kind", ...texts, ...numbers, "date_add(DATE '2013-01-01', CAST(id % 365 AS INT)) AS day"];
  await run(page, `CREATE CATALOG ${catalog}`);
  for (const [branch, statement] of [
    ["main", "CREATE DATABASE d"],
    ["main", `CREATE TABLE d.large AS SELECT ${columns.join(", ")} FROM range(0, ${rows})`],
    ["main", "CREATE BRANCH dev"],
    ["dev", "UPDATE d.large SET n1 = n1 + 1 WHERE id % 100 = 0"],
    ["main", "UPDATE d.large SET n2 = n2 + 1 WHERE id % 1000 = 0"],
  ]) {
    console.log(`${branch}: ${statement.slice(0, 60)}`);
    await run(page, statement, { catalog, branch });
  }
}

/** From the press on Compare, as a person goes from the branch to its comparison. */
async function pressed(page) {
  await opened(page, `/c/${catalog}/b/dev`, '[role="list"][aria-label^="Tables of"] [role="listitem"]');
  await page.waitForLoadState("networkidle");
  const link = page.locator(`a[href="${COMPARE}"]`).first();
  await link.evaluate((element) => element.addEventListener("click", () => (globalThis.pressedAt = performance.now()), { capture: true }));
  await link.click();
  const drawn = await drawnAt(page, ROW);
  return drawn - (await page.evaluate(() => globalThis.pressedAt));
}

/** After a commit that nobody has compared yet, while nobody else waits for an answer. */
async function firstLook(page, round) {
  await page.waitForLoadState("networkidle");
  await page.goto(`${base}/login/`);
  await run(page, `UPDATE d.large SET n3 = n3 + 1 WHERE id = ${round}`, { catalog, branch: "dev" });
  return opened(page, COMPARE, ROW);
}
