// What the scripts share that measure pages of a running server with Chromium.

const { LAKEUI_URL: base = "http://127.0.0.1:8000" } = process.env;
const POLL_MS = 500;

/** Milliseconds from the beginning of the navigation until the element is drawn. */
export async function opened(page, path, selector) {
  await page.goto(base + path, { waitUntil: "commit" });
  return drawnAt(page, selector);
}

/** The time of the page at which the element is drawn. */
export function drawnAt(page, selector) {
  return page
    .waitForFunction((wanted) => (document.querySelector(wanted)?.clientHeight ? performance.now() : 0), selector, { polling: "raf" })
    .then((handle) => handle.jsonValue());
}

/** The value below which that share of the measured ones lies. */
export function percentile(times, share) {
  return times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * share))];
}

/** Runs a statement as the person who is signed in, to its end. */
export async function run(page, statement, { catalog = null, branch = "main" } = {}) {
  const token = (await page.context().cookies()).find(({ name }) => name === "csrftoken")?.value ?? "";
  const headers = { "X-CSRFToken": token, Referer: base, Prefer: "wait=20" };
  let answer = await page.request.post(`${base}/api/v1/sql/`, { data: { statement, catalog, branch }, headers });
  if (!answer.ok()) throw new Error(`${statement}: ${await answer.text()}`);
  while (answer.status() === 202 || ["waiting", "running"].includes((await answer.json()).state)) {
    const { id } = await answer.json();
    await new Promise((done) => setTimeout(done, POLL_MS));
    answer = await page.request.get(`${base}/api/v1/tasks/${id}/`);
  }
  const { state, error } = await answer.json();
  if (error) throw new Error(`${statement}: ${state}, ${JSON.stringify(error)}`);
}
