/** An owner sends merge requests to another server, and sees in the settings and the audit what became of that. */
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { expectAccessible, launch, open, signedIn, type Visit } from "./browser";

const WORK_MS = 90_000;

interface Message {
  headers: IncomingHttpHeaders;
  body: string;
}

describe("a webhook", () => {
  let browser: Browser;
  let owner: Visit;
  let listener: Server;
  let address = "";
  let secret = "";
  /** What the other server answers. */
  let status = 200;
  const received: Message[] = [];

  beforeAll(async () => {
    listener = createServer((request, response) => {
      let body = "";
      request.on("data", (data: Buffer) => (body += data.toString()));
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
    address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`;
    browser = await launch();
    owner = await signedIn(browser);
  });
  afterAll(async () => {
    await browser.close();
    await new Promise((done) => listener.close(done));
  });

  it("is made in the settings, and its secret shown once", async () => {
    const { page } = owner;
    await open(page, "/c/demo/settings?tab=webhooks");
    await page.getByRole("button", { name: "New webhook" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill(address);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is shown only now.").waitFor();
    secret = await dialog.locator("code").innerText();
    expect(secret).toMatch(/^whsec_/);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "I have it" }).click();
    await page.getByRole("button", { name: `Messages ${address}` }).waitFor();
  });

  it("is tried, and the other server can tell that the message is from here", async () => {
    const { page } = owner;
    await page.getByRole("button", { name: `Messages ${address}` }).click();
    await page.getByText("Nothing was sent yet").waitFor();
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.locator(".badge", { hasText: "delivered" }).waitFor({ timeout: WORK_MS });
    const [message] = received;
    const id = message?.headers["webhook-id"] as string;
    const signed = `${id}.${message?.headers["webhook-timestamp"] as string}.${message?.body}`;
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    expect(message?.headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    await page.getByText("What is sent").click();
    await page.getByText('"type": "ping"').waitFor();
    await expectAccessible(page);
  });

  it("shows that a message failed, when it is sent again, and that it arrived then", async () => {
    const { page } = owner;
    status = 503;
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("The server answered 503.").waitFor({ timeout: WORK_MS });
    await page.locator(".badge", { hasText: "to be sent again" }).waitFor();
    status = 200;
    await expect.poll(() => page.locator(".badge", { hasText: "delivered" }).count(), { timeout: WORK_MS }).toBe(2);
  });

  it("is switched off and removed, and the audit says by whom", async () => {
    const { page } = owner;
    await page.getByRole("button", { name: `Switch off ${address}` }).click();
    await page.getByText("switched off").waitFor();
    await page.getByRole("button", { name: `Remove ${address}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove the webhook" }).click();
    await page.getByText("No webhook yet").waitFor();
    await open(page, "/c/demo/merges?kind=settings");
    await page.getByRole("list", { name: "Changed settings" }).getByRole("link", { name: /^webhook/ }).first().click();
    await page.getByRole("heading", { name: /^webhook \d+ removed/ }).waitFor();
    await page.getByRole("rowheader", { name: "server" }).waitFor();
    await expectAccessible(page);
  });

  it("went without an error on the console", () => {
    expect(owner.complaints).toEqual([]);
  });
});
