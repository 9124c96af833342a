// How soon the pages of a large catalog can be used: node scripts/large-lake.mjs CATALOG
// The catalog is one that `python -m tests.benchmarks.changed_lake` made. LAKEUI_URL, LAKEUI_USER and LAKEUI_PASSWORD say
// where and as whom. Times run from the beginning of the navigation (or from the key) until the content is drawn; each is
// the median of five, in Chromium with an empty cache each time. For the pages of reviews it asks for a merge, once.
import { chromium } from "playwright-core";

import { FLAGS, signIn } from "./browser.mjs";
import { opened } from "./measuring.mjs";

const ROUNDS = 5;
const MOST_MS = 1000;
const { LAKEUI_URL: base = "http://127.0.0.1:8000", CHROMIUM: executablePath = "/usr/bin/chromium" } = process.env;
const [catalog] = process.argv.slice(2);
if (!catalog) throw new Error("Which catalog? node scripts/large-lake.mjs CATALOG");

const OPTION = '[role="option"]';
const CHOSEN = '[aria-label="Chosen object"] h2';
const MERGE = ".request-columns button.primary:not(:disabled)";
const COMPARE = `/c/${catalog}/compare/dev...main`;
const TABLE_ROW = '[role="list"][aria-label^="Tables of"] [role="listitem"]';
const BRANCH = `/c/${catalog}/b/main`;

const browser = await chromium.launch({ executablePath, args: FLAGS });
let isTooSlow = false;
try {
  const { page: first, context } = await visit();
  await signIn(first);
  const storageState = await context.storageState();
  report("comparison, first look of anyone", [await opened(first, COMPARE, OPTION)]);
  const number = await request(first);
  const rounds = async (measure) => {
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await visited({ storageState }, (page) => measure(page, round)));
    return times;
  };
  report("comparison", await rounds((page) => opened(page, COMPARE, OPTION)));
  report("its first object, with the matrix", await rounds((page) => opened(page, COMPARE, CHOSEN)));
  report("the next object, by the key j", await rounds(next));
  report("an object by the filter", await rounds((page, round) => filtered(page, `table_0${round}`)));
  report("branch with all its tables", await rounds((page) => opened(page, BRANCH, TABLE_ROW)));
  report("a table by the search of the branch", await rounds((page, round) => searched(page, `table_0${round}`)));
  report("a table by the palette", await rounds((page, round) => found(page, `table_0${round}`)));
  report("merge request, until it can be merged", await rounds((page) => opened(page, `/c/${catalog}/requests/${number}`, MERGE)));
  report("merge request, its comparison", await rounds((page) => opened(page, `/c/${catalog}/requests/${number}?tab=compare`, OPTION)));
  report("list of merge requests", await rounds((page) => opened(page, `/c/${catalog}/requests`, ".request-row")));
  report("branch graph", await rounds((page) => opened(page, `/c/${catalog}`, ".scroll > svg")));
  const { rows, drawn, milliseconds } = await visited({ storageState }, scrolled);
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

async function visit(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  return { context, page: await context.newPage() };
}

/** What is measured on a page of a browser that has seen nothing but the sign-in. */
async function visited(options, measure) {
  const { context, page } = await visit(options);
  const measured = await measure(page);
  await context.close();
  return measured;
}

/** The number of a merge request for all that was changed: the one that is open, or a new one. */
async function request(page) {
  const address = `${base}/api/v1/catalogs/${catalog}/merge-requests/`;
  const [open] = (await (await page.request.get(address)).json()).results;
  if (open) return open.number;
  const token = (await page.context().cookies()).find((cookie) => cookie.name === "csrftoken")?.value ?? "";
  const data = { source: "dev", destination: "main", title: "Everything" };
  return (await (await page.request.post(address, { data, headers: { "X-CSRFToken": token, Referer: base } })).json()).number;
}

async function next(page) {
  await opened(page, COMPARE, CHOSEN);
  const before = await page.locator(CHOSEN).innerText();
  const began = await page.evaluate(() => performance.now());
  await page.keyboard.press("j");
  const ended = await page.waitForFunction(
    ([selector, old]) => {
      const text = document.querySelector(selector)?.textContent;
      return text && text !== old ? performance.now() : 0;
    },
    [CHOSEN, before],
    { polling: "raf" },
  );
  return (await ended.jsonValue()) - began;
}

async function filtered(page, text) {
  await opened(page, COMPARE, OPTION);
  return narrowed(page, "Filter by name", text, `${OPTION} .name`);
}

async function searched(page, text) {
  await opened(page, BRANCH, TABLE_ROW);
  return narrowed(page, "Find a table by name", text, `${TABLE_ROW} a`);
}

/** Milliseconds from the text in the field until only names with it are drawn. */
async function narrowed(page, label, text, names) {
  const began = await page.evaluate(() => performance.now());
  await page.getByLabel(label).fill(text);
  const ended = await page.waitForFunction(
    ([selector, wanted]) => {
      const drawn = [...document.querySelectorAll(selector)].map((name) => name.textContent ?? "");
      return drawn.length && drawn.every((name) => name.includes(wanted)) ? performance.now() : 0;
    },
    [names, text],
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
async function scrolled(page) {
  await opened(page, COMPARE, OPTION);
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
