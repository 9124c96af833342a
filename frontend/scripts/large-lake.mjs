// How soon the pages of a large catalog can be used: node scripts/large-lake.mjs CATALOG
// The catalog is one that `python -m tests.benchmarks.changed_lake` made. LAKEUI_URL, LAKEUI_USER and LAKEUI_PASSWORD say
// where and as whom. Times run from the beginning of the navigation (or from the key) until the content is drawn; each is
// the median of several, in Chromium with nothing of the application in memory.
import { chromium } from "playwright-core";

import { FLAGS, signIn } from "./browser.mjs";

const ROUNDS = 7;
const MOST_MS = 1000;
const { LAKEUI_URL: base = "http://127.0.0.1:8000", CHROMIUM: executablePath = "/usr/bin/chromium" } = process.env;
const [catalog] = process.argv.slice(2);
if (!catalog) throw new Error("Which catalog? node scripts/large-lake.mjs CATALOG");

const browser = await chromium.launch({ executablePath, args: FLAGS });
let isTooSlow = false;
try {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await signIn(page);
  const compare = `/c/${catalog}/compare/dev...main`;
  const option = '[role="option"]';
  report("comparison, first look of anyone", [await opened(page, compare, option)]);
  report("comparison", await rounds(() => opened(page, compare, option)));
  report("its first object, with the matrix", await rounds(() => opened(page, compare, '[aria-label="Chosen object"] h2')));
  report("the next object, by the key j", await rounds(() => next(page)));
  report("an object by a filter", await rounds((round) => filtered(page, compare, `table_${round}`)));
  report("branch with all its tables", await rounds(() => opened(page, `/c/${catalog}/b/main`, ".table-row")));
  report("a table by the palette", await rounds((round) => found(page, `table_${round}`)));
  await opened(page, compare, option);
  const { rows, drawn, milliseconds } = await scrolled(page);
  console.log(`${rows} changed objects scrolled through in ${(milliseconds / 1000).toFixed(1)} s; at most ${drawn} of them in the page at once`);
  if (rows !== drawn && drawn > 100) isTooSlow = true;
} finally {
  await browser.close();
}
if (isTooSlow) process.exit(1);

function report(what, times) {
  const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
  const verdict = median <= MOST_MS ? "yes" : "NO";
  console.log(`${what.padEnd(40)} ${median.toFixed(0).padStart(6)} ms  at most ${MOST_MS}: ${verdict}`);
  if (median > MOST_MS) isTooSlow = true;
}

async function rounds(measure) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await measure(round));
  return times;
}

/** Milliseconds from the beginning of the navigation until the element is drawn. */
async function opened(page, path, selector) {
  await page.goto(base + path, { waitUntil: "commit" });
  return drawnAt(page, selector);
}

function drawnAt(page, selector) {
  return page
    .waitForFunction((wanted) => (document.querySelector(wanted)?.clientHeight ? performance.now() : 0), selector, { polling: "raf" })
    .then((handle) => handle.jsonValue());
}

async function next(page) {
  const title = '[aria-label="Chosen object"] h2';
  const before = await page.locator(title).innerText();
  const began = await page.evaluate(() => performance.now());
  await page.keyboard.press("j");
  const ended = await page.waitForFunction(
    ([selector, old]) => {
      const text = document.querySelector(selector)?.textContent;
      return text && text !== old ? performance.now() : 0;
    },
    [title, before],
    { polling: "raf" },
  );
  return (await ended.jsonValue()) - began;
}

async function filtered(page, path, text) {
  await opened(page, path, '[role="option"]');
  const began = await page.evaluate(() => performance.now());
  await page.getByLabel("Filter by name").fill(text);
  const ended = await page.waitForFunction(
    (wanted) => {
      const names = [...document.querySelectorAll('[role="option"] .name')].map((name) => name.textContent ?? "");
      return names.length && names.every((name) => name.includes(wanted)) ? performance.now() : 0;
    },
    text,
    { polling: "raf" },
  );
  return (await ended.jsonValue()) - began;
}

async function found(page, text) {
  await opened(page, `/c/${catalog}`, "h1");
  const began = await page.evaluate(() => performance.now());
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(text);
  const ended = await page.waitForFunction(
    (wanted) => {
      const labels = [...document.querySelectorAll('[role="option"]')].map((entry) => entry.textContent ?? "");
      return labels.some((label) => label.includes(wanted) && label.includes("table in")) ? performance.now() : 0;
    },
    text,
    { polling: "raf" },
  );
  return (await ended.jsonValue()) - began;
}

/** To the last changed object, page by page as a person with a wheel would. */
function scrolled(page) {
  return page.evaluate(async () => {
    const box = document.querySelector('[role="listbox"] .scroll');
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const began = performance.now();
    let [drawn, height, still] = [0, 0, 0];
    while (still < 60) {
      box.scrollTop = box.scrollHeight;
      await frame();
      drawn = Math.max(drawn, document.querySelectorAll('[role="option"]').length);
      still = box.scrollHeight === height ? still + 1 : 0;
      height = box.scrollHeight;
    }
    return { rows: Math.round(height / 48), drawn, milliseconds: performance.now() - began };
  });
}
