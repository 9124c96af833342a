// Whether typing in the SQL page ever waits: node scripts/typing.mjs CATALOG
// Types into a script of TYPING_STATEMENTS (2,000) statements beside 20 databases of 200 tables, of which the browser is
// given the lists. For each key it measures the time to the next frame, and the thread's own time in tasks. LAKEUI_URL,
// LAKEUI_USER and LAKEUI_PASSWORD say where and as whom.
import { chromium } from "playwright-core";

import { FLAGS, signIn } from "./browser.mjs";
import { percentile } from "./measuring.mjs";

const TYPED = "\nSELECT carrier, count(*) AS flights FROM db_3.table_17 WHERE dep_delay > 30 GROUP BY carrier;\n";
const KEY_MS = 60;
const PATIENCE_MS = 180_000;
/** A key that is answered by then is felt as at once. */
const MOST_MS = 100;
const [DATABASES, TABLES] = [20, 200];
const { LAKEUI_URL: base = "http://127.0.0.1:8000", TYPING_STATEMENTS: statements = "2000", CHROMIUM: executablePath = "/usr/bin/chromium" } = process.env;
const [catalog = "demo"] = process.argv.slice(2);

const browser = await chromium.launch({ executablePath, args: FLAGS });
let isTooSlow = false;
try {
  for (const [count, tables] of [[1, 0], [Number(statements), 0], [1, TABLES], [Number(statements), TABLES]]) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await signIn(page);
    if (tables) await withTables(page);
    report(`${count} statements, ${tables ? DATABASES * TABLES : "few"} tables`, await typed(page, count));
    await context.close();
  }
} finally {
  await browser.close();
}
if (isTooSlow) process.exit(1);

function report(what, { frames, tasks, thread }) {
  const [median, slow, worst] = [percentile(frames, 0.5), percentile(frames, 0.95), Math.max(...frames)];
  const isGood = slow <= MOST_MS;
  console.log(
    `${what.padEnd(34)} key to frame: median ${median.toFixed(0)}, p95 ${slow.toFixed(0)}, worst ${worst.toFixed(0)} ms; ` +
      `${tasks.length} tasks over 50 ms, longest ${Math.max(0, ...tasks).toFixed(0)} ms; ${thread.toFixed(1)} ms of the thread a key  p95 at most ${MOST_MS}: ${isGood ? "yes" : "NO"}`,
  );
  if (!isGood) isTooSlow = true;
}

async function withTables(page) {
  const at = `${base}/api/v1/catalogs/${catalog}/branches/main/databases`;
  const list = (results) => ({ json: { next: null, previous: null, results } });
  await page.route((url) => url.href.startsWith(`${at}/?`), async (route) => route.fulfill(list(Array.from({ length: DATABASES }, (_, place) => ({ name: `db_${place}` })))));
  await page.route((url) => /\/databases\/db_\d+\/tables\/\?/.test(url.href), async (route) => route.fulfill(list(Array.from({ length: TABLES }, (_, place) => ({ name: `table_${place}` })))));
  await page.route(/\/databases\/db_\d+\/tables\/table_\d+\/$/, async (route) =>
    route.fulfill({ json: { columns: Array.from({ length: 20 }, (_, place) => ({ name: `column_${place}`, type: "int" })) } }),
  );
}

/** What the keys of `TYPED` cost in the middle of so many statements. */
async function typed(page, count) {
  const one = (place) => `UPDATE db_${place % 20}.table_${place % 50} SET column_1 = 'text ${place}' WHERE column_2 = ${place} -- ${"a note ".repeat(8)}`;
  const script = Array.from({ length: count }, (_, place) => one(place)).join(";\n");
  await page.goto(`${base}/c/${catalog}/sql?branch=main`);
  const editor = page.getByLabel("SQL statement");
  await editor.waitFor();
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(script);
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < Math.min(20, count); line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.waitForTimeout(2000);
  await page.evaluate(() => {
    const found = (globalThis.found = { frames: [], tasks: [] });
    new PerformanceObserver((list) => found.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ["longtask"] });
    addEventListener("keydown", ({ timeStamp }) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => found.frames.push(performance.now() - timeStamp);
      port2.postMessage(0);
    }), { capture: true });
  });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const thread = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  const before = await thread();
  await page.keyboard.type(TYPED, { delay: KEY_MS });
  await page.waitForTimeout(500);
  const after = await thread();
  return { ...(await page.evaluate(() => globalThis.found)), thread: (after - before) / TYPED.length };
}
