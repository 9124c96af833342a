/** Chromium, signed in, and everything that a page complains about collected. */
import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
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
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(`${BASE()}/login/`);
  await page.getByLabel("User name").fill(account.user);
  await page.getByLabel("Password").fill(account.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${BASE()}/`);
  return { page, complaints };
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

/** Run statements of the demo lake one after the other, each to its end. */
export async function statements(page: Page, branch: string, ...texts: string[]): Promise<void> {
  for (const statement of texts) {
    await call(page, "POST", "/api/v1/sql/", { statement, catalog: "demo", branch }, { Prefer: `wait=${WORK_SECONDS}` });
  }
}

export async function open(page: Page, path: string): Promise<void> {
  await page.goto(BASE() + path);
  // The page that Django draws for an address that nothing has is ready at once.
  await page.locator("main:not([aria-busy=true])").waitFor();
  await page.waitForLoadState("networkidle");
  await expect.poll(() => page.getByRole("status").filter({ hasText: "Loading" }).count()).toBe(0);
}

const WCAG_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** What a theme can break: every other rule is about what the page holds. */
const RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** The page has come to rest with nothing serious for axe: what is drawn after the first look is looked at too. */
export function expectAccessible(page: Page): Promise<void> {
  return expect.poll(() => violations(new AxeBuilder({ page }).withTags(WCAG_AA)), { interval: 500 }).toEqual([]);
}

/** The same of colours alone, for a page that is accessible in another theme. */
export function expectColoursAccessible(page: Page): Promise<void> {
  return expect.poll(() => violations(new AxeBuilder({ page }).withRules(RULES_OF_COLOURS)), { interval: 500 }).toEqual([]);
}

/** Serious and critical violations of WCAG 2.2 A and AA, as `rule: element`. */
async function violations(axe: AxeBuilder): Promise<string[]> {
  const result = await axe.analyze();
  return result.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`));
}
