// Pictures of every page, as WebP: node scripts/screenshots.mjs [FOLDER [NAME …]]
// LAKEUI_URL, LAKEUI_USER and LAKEUI_PASSWORD say where and as whom. The server has a fresh demo lake: for pages that show
// merges and their reviews, one is refused there, one carried out (airlines_2014 into main), and one asked for, once.
// LOOKS=all takes every page in every look, to look at; docs/internals/pages.md shows the first look of each.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

import { FLAGS, signIn } from "./browser.mjs";

const { LAKEUI_URL: base = "http://127.0.0.1:8000", CHROMIUM: executablePath = "/usr/bin/chromium" } = process.env;
/** Every page in the first look; those that matter most in the others too. */
const LOOKS = [
  { suffix: "", theme: "light", width: 1280, height: 800 },
  { suffix: "-dark", theme: "dark", width: 1280, height: 800 },
  { suffix: "-narrow", theme: "light", width: 390, height: 844 },
  { suffix: "-narrow-dark", theme: "dark", width: 390, height: 844 },
];
const IMPORTANT = ["home", "catalog", "compare", "request"];
const QUALITY = 0.82;
/** What asks the compute engine takes its time, on a busy machine a long one. */
const PATIENCE_MS = 90_000;
const CSV = "code,reason,since\n1,late aircraft,2014-01-01\n2,weather,2014-01-01\n3,crew,2014-02-15\n";
const QUERY = "SELECT carrier, count(*) AS flights, round(avg(dep_delay), 1) AS mean_delay\nFROM flights.flights\nGROUP BY carrier\nORDER BY flights DESC";

/** Pages by the name of their picture; `act` brings one into the state that is worth a picture. */
const PAGES = {
  home: { path: "/" },
  palette: { path: "/c/demo", act: search },
  catalog: { path: "/c/demo" },
  branch: { path: "/c/demo/b/delays" },
  "branch-history": { path: "/c/demo/b/main?tab=history" },
  table: { path: "/c/demo/b/delays/t/flights/flights" },
  "table-rows": { path: "/c/demo/b/main/t/flights/flights?tab=rows" },
  "table-profile": { path: "/c/demo/b/main/t/flights/flights?tab=profile" },
  "table-history": { path: "/c/demo/b/delays/t/flights/flights?tab=history" },
  // After the runs of pipelines, which it shows.
  "table-lineage": { path: () => "/c/demo/b/main/t/flights/flights?tab=lineage" },
  "table-segments": { path: "/c/demo/b/delays/t/flights/flights?tab=segments" },
  "table-schemas": { path: "/c/demo/b/delays/t/flights/flights?tab=schemas" },
  "table-properties": { path: "/c/demo/b/main/t/flights/flights?tab=properties" },
  "table-old-version": { path: "/c/demo/b/delays/t/flights/flights", act: oldVersion },
  "table-changes": { path: "/c/demo/b/delays/t/flights/flights?tab=changes" },
  compare: { path: "/c/demo/compare/delays...main" },
  "compare-whole-matrix": { path: "/c/demo/compare/delays...main", act: wholeMatrix },
  "compare-values": { path: "/c/demo/compare/delays...main", act: valuesTab },
  "compare-rows": { path: "/c/demo/compare/delays...main", act: rowsTab },
  "choose-branches": { path: "/c/demo/compare" },
  keys: { path: "/c/demo", act: keys },
  "new-request": { path: "/c/demo/requests/new?source=delays&destination=main" },
  requests: { path: () => "/c/demo/requests" },
  request: { path: (made) => `/c/demo/requests/${made.request}` },
  "request-comparison": { path: (made) => `/c/demo/requests/${made.request}?tab=compare` },
  "request-checks": { path: (made) => `/c/demo/requests/${made.request}?tab=checks` },
  inbox: { path: () => "/inbox" },
  "catalog-members": { path: () => "/c/demo/settings" },
  "catalog-protection": { path: () => "/c/demo/settings?tab=protection" },
  "catalog-checks": { path: () => "/c/demo/settings?tab=checks" },
  "catalog-webhooks": { path: () => "/c/demo/settings?tab=webhooks" },
  "changed-settings": { path: () => "/c/demo/merges?kind=settings" },
  merges: { path: () => "/c/demo/merges" },
  "merge-refused": { path: (made) => `/merges/${made.refused}` },
  "merge-done": { path: (made) => `/merges/${made.merged}` },
  tasks: { path: () => "/tasks" },
  task: { path: (made) => `/tasks/${made.task}` },
  sql: { path: `/c/demo/sql?branch=main&statement=${encodeURIComponent(QUERY)}`, act: run },
  "sql-chart": { path: `/c/demo/sql?branch=main&statement=${encodeURIComponent(QUERY)}`, act: chart },
  pipelines: { path: "/c/demo/pipelines" },
  pipeline: { path: "/c/demo/pipelines", act: dryRun },
  "pipeline-strategy": { path: "/c/demo/pipelines", act: (page) => pipelineTab(page, "Strategy") },
  "pipeline-versions": { path: "/c/demo/pipelines", act: (page) => pipelineTab(page, "Versions") },
  "pipeline-run": { path: (made) => `/c/demo/pipelines/${made.pipeline}/runs/${made.run}` },
  "pipeline-runs": { path: () => "/c/demo/pipelines", act: (page) => pipelineTab(page, "Runs") },
  "new-pipeline": { path: "/c/demo/pipelines/new?branch=main&database=flights&table=by_day", act: wrongConfig },
  import: { path: "/c/demo/import?branch=delays" },
  "import-review": { path: "/c/demo/import?branch=delays", act: sendFile },
  settings: { path: "/settings" },
  people: { path: "/people" },
  // Last: it writes to a branch that has been merged.
  "branch-trash": { path: () => "/c/demo/b/airlines_2014?tab=trash", act: dropped },
  "not-found": { path: "/c/nowhere" },
};

const [folder = "../docs/screenshots", ...chosen] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  const all = LOOKS.map((look) => ({ look, names: namesFor(look) }));
  // First the lake as it comes, then what merges leave.
  for (const { look, names } of all) await pictures(look, names.filter((name) => !isOfMerges(name)));
  if (all.some(({ names }) => names.some(isOfMerges))) {
    const made = await prepared(await visit(LOOKS[0]));
    for (const { look, names } of all) await pictures(look, names.filter(isOfMerges), made);
  }
} finally {
  await browser.close();
}

function namesFor(look) {
  const wanted = look === LOOKS[0] || process.env.LOOKS === "all" ? Object.keys(PAGES) : IMPORTANT;
  return chosen.length ? wanted.filter((name) => chosen.includes(name)) : wanted;
}

function isOfMerges(name) {
  return typeof PAGES[name].path === "function";
}

async function pictures(look, names, made) {
  const page = await visit(look);
  for (const name of names) {
    try {
      await shown(page, name, made);
    } catch (error) {
      // The others are still worth taking; the picture shows where it stopped.
      console.error(`${name}${look.suffix}: ${error.message}`);
      process.exitCode = 1;
    }
    if (await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)) console.error(`${name} is wider than ${look.width} px`);
    writeFileSync(join(folder, `${name}${look.suffix}.webp`), await webp(page));
  }
  await page.context().close();
}

/** Bring the page to where it is worth a picture. */
async function shown(page, name, made) {
  const { path, act } = PAGES[name];
  await page.goto(base + (made ? path(made) : path));
  await page.waitForLoadState("networkidle");
  await loaded(page);
  if (act) await act(page);
  await loaded(page);
  await page.waitForTimeout(400);
}

async function visit({ theme, width, height }) {
  const context = await browser.newContext({ viewport: { width, height }, timezoneId: "UTC" });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`page error: ${error.message}`));
  await signIn(page);
  await page.evaluate((chosenTheme) => (document.cookie = `theme=${chosenTheme}; path=/`), theme);
  return page;
}

/** Nothing on the page waits for the server any more. */
async function loaded(page) {
  await page.waitForFunction(() => [...document.querySelectorAll("[role=status]")].every((status) => !status.textContent?.startsWith("Loading")));
}

/** Ids of a refused merge, of one that was carried out and of its task, of a pipeline and its run, and the number of a merge request. */
async function prepared(page) {
  const merges = () => read(page, "/api/v1/merges/?catalog=demo");
  const [pipeline] = await read(page, "/api/v1/pipelines/?catalog=demo&search=last_seen");
  const runs = `/api/v1/pipelines/${pipeline.id}/runs/`;
  if ((await merges()).length === 0) {
    // Before the review protects main, where they write. The last is the one that is shown.
    const others = (await read(page, "/api/v1/pipelines/?catalog=demo")).filter(({ id }) => id !== pipeline.id);
    for (const { id } of [...others, pipeline]) await ended(page, await (await post(page, `/api/v1/pipelines/${id}/runs/`)).json());
    await statement(page, "MERGE BRANCH delays TO main");
    await statement(page, "MERGE BRANCH airlines_2014 TO main");
    await review(page);
  }
  const known = await merges();
  const idOf = (outcome) => known.find((merge) => merge.outcome === outcome)?.merge_id;
  const tasks = await read(page, "/api/v1/tasks/?state=succeeded");
  const [request] = await read(page, "/api/v1/catalogs/demo/merge-requests/");
  const task = tasks.find(({ parameters }) => parameters.statement?.startsWith("MERGE")) ?? tasks[0];
  const [run] = await read(page, runs);
  await page.context().close();
  return { refused: idOf("refused"), merged: idOf("merged"), task: task?.id, request: request?.number, pipeline: pipeline.id, run: run?.id };
}

/** A merge request with a conflict, a question about it, a required check, and a rule that asks for an approval. */
async function review(page) {
  const catalog = "/api/v1/catalogs/demo/";
  await post(page, `${catalog}checks/`, { name: "known carriers", query: "SELECT * FROM flights.flights WHERE carrier IS NULL", is_required: true });
  await post(page, `${catalog}protection-rules/`, { pattern: "main", required_approvals: 1, refuse_direct_merges: true });
  const description = "Flights that left more than five hours late say **why**.";
  const asked = { source: "delays", destination: "main", title: "Why flights were late", description };
  const { number } = await (await post(page, `${catalog}merge-requests/`, asked)).json();
  await post(page, `${catalog}merge-requests/${number}/comments/`, { body: "Are the two new flights of `main` late as well?" });
}

async function read(page, path) {
  return (await (await page.request.get(base + path)).json()).results;
}

async function statement(page, text) {
  await ended(page, await (await post(page, "/api/v1/sql/", { catalog: "demo", branch: "main", statement: text })).json());
}

/** To its end, also where that takes longer than a request is held open. */
async function ended(page, answer) {
  let task = answer;
  while (task.state === "queued" || task.state === "running") {
    await page.waitForTimeout(500);
    task = await (await page.request.get(`${base}/api/v1/tasks/${answer.id}/`)).json();
  }
}

async function post(page, path, data) {
  const token = (await page.context().cookies()).find((cookie) => cookie.name === "csrftoken")?.value ?? "";
  const headers = { "X-CSRFToken": token, Referer: base, Prefer: "wait=60" };
  return page.request.post(base + path, { data, headers, timeout: PATIENCE_MS });
}

async function keys(page) {
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
}

async function search(page) {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("delay");
  await page.getByRole("option", { name: /column of/ }).first().waitFor();
}

async function wholeMatrix(page) {
  await page.getByText("Which rule decided this?").click();
  await page.getByRole("button", { name: "Show all rules" }).click();
  await page.getByRole("grid").scrollIntoViewIfNeeded();
}

async function oldVersion(page) {
  await page.getByRole("slider").focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("button", { name: "Back to head" }).waitFor();
}

async function rowsTab(page) {
  const tab = page.getByRole("tab", { name: "Rows" });
  await tab.click();
  for (const branch of ["delays", "main"]) {
    await page.getByRole("region", { name: `Rows that ${branch} changed` }).getByRole("cell").first().waitFor();
  }
  await tab.evaluate((element) => element.scrollIntoView({ block: "start" }));
}

async function valuesTab(page) {
  const tab = page.getByRole("tab", { name: "Values" });
  await tab.click();
  await page.getByRole("region", { name: "Values of the changed rows" }).waitFor();
  await tab.evaluate((element) => element.scrollIntoView({ block: "start" }));
}

async function chart(page) {
  await run(page);
  await page.getByRole("button", { name: "Chart" }).click();
  await page.getByRole("img", { name: /^Bars/ }).waitFor();
}

/** A table that was made and dropped, once. */
async function dropped(page) {
  const list = page.getByRole("list", { name: "Dropped from airlines_2014" });
  await list.or(page.getByText("Nothing was dropped")).first().waitFor();
  if (await list.isVisible()) return;
  await page.getByRole("button", { name: "New table" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name", exact: true }).fill("notes");
  await page.getByRole("button", { name: "Create the table" }).click();
  await page.getByLabel("Change flights.notes").click();
  await page.getByRole("button", { name: "Drop …" }).click();
  await page.getByRole("button", { name: "Drop the table" }).click();
  await list.waitFor();
}

async function run(page) {
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("button", { name: "Parquet" }).waitFor();
}

async function openPipeline(page) {
  await page.getByRole("link", { name: "last_seen" }).click();
  await page.getByRole("heading", { level: 1, name: "last_seen" }).waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
}

async function pipelineTab(page, name) {
  await openPipeline(page);
  await page.getByRole("tab", { name }).click();
  await page.waitForLoadState("networkidle");
}

async function dryRun(page) {
  await openPipeline(page);
  await page.getByRole("button", { name: "Dry run" }).click();
  const trial = page.getByRole("region", { name: "Dry run" });
  await trial.getByRole("table").or(trial.getByText("No row would change")).first().waitFor();
}

/** A mistake of each text, said and underlined at its line. */
async function wrongConfig(page) {
  await page.getByText("As file: config.yaml").click();
  await page.getByRole("textbox", { name: "config.yaml" }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("unique_keys: [day]");
  await page.getByRole("button", { name: "Create the pipeline" }).click();
  await page.getByRole("alert").waitFor();
}

async function sendFile(page) {
  await page.getByLabel("Choose a file").setInputFiles({ name: "delay reasons.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
  await page.getByRole("region", { name: "The first rows" }).waitFor();
}

/** The picture as WebP: Chromium encodes it, as it drew it. */
async function webp(page) {
  const png = (await page.screenshot()).toString("base64");
  const blank = await page.context().newPage();
  const encoded = await blank.evaluate(
    async ([data, quality]) => {
      const picture = new Image();
      picture.src = `data:image/png;base64,${data}`;
      await picture.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
      canvas.getContext("2d").drawImage(picture, 0, 0);
      return canvas.toDataURL("image/webp", quality).split(",")[1];
    },
    [png, QUALITY],
  );
  await blank.close();
  return Buffer.from(encoded, "base64");
}
