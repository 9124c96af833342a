/** Chromium, signed in, and everything that a page complains about collected. */
import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type BrowserContextOptions, type Page, type Request } from "playwright-core";
import { expect } from "vitest";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Some pages ask the compute engine, which takes its time on a busy machine. */
const PATIENCE_MS = 60_000;

/** The longest that a statement or a merge may take. */
const WORK_SECONDS = 90;
export const WORK_MS = 1000 * WORK_SECONDS;

export const BASE = () => process.env.LAKEUI_URL ?? "";

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** What the content policy refused on any page since this was asked last. `every-journey.ts` asks after each file. */
const refused: string[] = [];
export const refusedByPolicy = (): string[] => refused.splice(0);

export interface Visit {
  page: Page;
  /** Exceptions and errors on the console, content policy violations among them. */
  complaints: string[];
}

/** A second account, which e2e/server.ts makes. */
export const REVIEWER = () => process.env.LAKEUI_REVIEWER ?? "reviewer";

interface Account {
  user: string;
  password: string;
}

const admin = (): Account => ({ user: process.env.LAKEUI_USER ?? "admin", password: process.env.LAKEUI_PASSWORD ?? "" });

export async function signedIn(browser: Browser, options: BrowserContextOptions = {}, account = admin()): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  followTraffic(page);
  followPolicy(page);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(`${BASE()}/login/`);
  await page.getByLabel("User name").fill(account.user);
  await page.getByLabel("Password").fill(account.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${BASE()}/`);
  return { page, complaints };
}

/** Collect what the content policy refuses on the page. */
export function followPolicy(page: Page): void {
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) refused.push(`${page.url()}: ${message.text()}`);
  });
}

/** A request of the HTTP interface by whoever is signed in on the page; answers its body. Throws for a refusal. */
export function call(page: Page, method: string, address: string, body?: object, more: Record<string, string> = {}): Promise<unknown> {
  return page.evaluate(
    async ([sendMethod, sendAddress, sendBody, moreHeaders]) => {
      const token = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="))?.slice("csrftoken=".length) ?? "";
      const headers = { "Content-Type": "application/json", "X-CSRFToken": token, ...moreHeaders };
      const response = await fetch(sendAddress, { method: sendMethod, headers, body: sendBody });
      const text = await response.text();
      if (!response.ok) throw new Error(`${sendMethod} ${sendAddress}: ${response.status} ${text}`);
      return text === "" ? null : (JSON.parse(text) as unknown);
    },
    [method, address, body === undefined ? null : JSON.stringify(body), more] as const,
  );
}

/** The answer to a statement, or its task where it takes longer. */
interface Work {
  id?: string;
  state?: string;
}

/** Run statements of the demo lake one after the other, each to its end. */
export async function statements(page: Page, branch: string, ...texts: string[]): Promise<void> {
  for (const statement of texts) {
    let answer = (await call(page, "POST", "/api/v1/sql/", { statement, catalog: "demo", branch }, { Prefer: "wait=30" })) as Work;
    while (answer.state === "queued" || answer.state === "running")
      answer = (await call(page, "GET", `/api/v1/tasks/${answer.id ?? ""}/`, undefined, { Prefer: "wait=30" })) as Work;
    if (answer.state !== undefined && answer.state !== "succeeded") throw new Error(`${statement}: ${JSON.stringify(answer)}`);
  }
}

/** Two branches of the demo lake whose merge is refused, and the reviewer as a member, signed in. */
export async function conflictMade(browser: Browser, source: string, target: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const { page } = await signedIn(browser);
  await statements(page, "main", `CREATE BRANCH ${target}`, `CREATE BRANCH ${source} FROM ${target}`);
  await statements(page, source, "UPDATE flights.airlines SET name = upper(name) WHERE carrier = 'UA'");
  await statements(page, target, "INSERT INTO flights.airlines VALUES ('QX', 'Quiet Air')");
  // Another journey may have made them one already.
  await call(page, "POST", "/api/v1/catalogs/demo/members/", { username: REVIEWER(), role: "reviewer" }).catch(() => undefined);
  await page.context().close();
  return signedIn(browser, options, { user: REVIEWER(), password: process.env.LAKEUI_REVIEWER_PASSWORD ?? "" });
}

/** What a page has asked for: how often until now, and what is still to come. */
interface Traffic {
  begun: number;
  open: Set<Request>;
}
const TRAFFIC = new WeakMap<Page, Traffic>();
/** A request that follows from an answer begins sooner. */
const QUIET_MS = 100;

function followTraffic(page: Page): void {
  const traffic: Traffic = { begun: 0, open: new Set() };
  TRAFFIC.set(page, traffic);
  page.on("request", (request) => {
    traffic.begun += 1;
    traffic.open.add(request);
  });
  page.on("requestfinished", (request) => traffic.open.delete(request));
  page.on("requestfailed", (request) => traffic.open.delete(request));
}

/** Open an address and wait until everything is drawn: nothing is asked for, and the page has had time to ask for more. */
export async function open(page: Page, path: string): Promise<void> {
  // What the page before it still waited for is of no interest.
  TRAFFIC.get(page)?.open.clear();
  await page.goto(BASE() + path);
  // The page that Django draws for an address that nothing has is ready at once.
  await page.locator("main:not([aria-busy=true])").waitFor();
  await expect.poll(() => isAtRest(page)).toBe(true);
}

async function isAtRest(page: Page): Promise<boolean> {
  const traffic = TRAFFIC.get(page);
  if (!traffic) throw new Error("This page was not opened by signedIn.");
  const { begun } = traffic;
  if (traffic.open.size) return false;
  await page.waitForTimeout(QUIET_MS);
  // Code that has just come is run, and its page drawn, before the browser has nothing to do.
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
  if (traffic.open.size || traffic.begun !== begun) return false;
  return (await page.getByRole("status").filter({ hasText: "Loading" }).count()) === 0;
}

/** What a theme can break: every other rule is about what the page holds. */
const RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** The page has come to rest and fulfils every rule of axe: what is drawn after the first look is looked at too. */
export function expectAccessible(page: Page): Promise<void> {
  return expect.poll(() => violations(axe(page)), { interval: 500 }).toEqual([]);
}

/** The same of colours alone, for a page that is accessible in another theme. */
export function expectColoursAccessible(page: Page): Promise<void> {
  return expect.poll(() => violations(axe(page).withRules(RULES_OF_COLOURS)), { interval: 500 }).toEqual([]);
}

/** No page has frames, so axe puts its results together in the page itself; it names the elements of violations alone. */
function axe(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
}

/** Violations of any rule, as `rule: element`. */
async function violations(look: AxeBuilder): Promise<string[]> {
  const result = await look.analyze();
  return result.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`));
}
