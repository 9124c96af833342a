import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { deliveriesPollAfter } from "../../queries/webhooks";
import { renderAt } from "../../testing/render";
import { json, page, problem, serve } from "../../testing/server";
import { signedInAs } from "../../testing/user";

const AT = "/api/v1/catalogs/demo/";
const HOOKS = `${AT}webhooks/`;
const since = "2026-01-01T00:00:00Z";
const URL = "https://example.org/hook";
const HOOK = { id: 3, url: URL, events: ["merge_request"], form: "event", is_active: true, created_by: "alice", created_at: since };
const SENT = {
  id: "6f0c9a3e-0000-4000-8000-000000000001", event: "merge_request" as const, state: "failed" as const, attempts: 8, status: 500, error: "The server answered 500.",
  duration_ms: 12, body: '{"type":"merge_request"}', created_at: since, attempted_at: since, next_attempt_at: null,
};
const LAKE = { [AT]: { name: "demo", role: "owner" }, [HOOKS]: { results: [HOOK] } };
const TAB = "/c/demo/settings?tab=webhooks";

beforeEach(() => {
  signedInAs("alice");
});

describe("webhooks", () => {
  it("are made with a secret that is shown once", async () => {
    const asked = serve({ ...LAKE, [HOOKS]: { results: [] }, [`POST ${HOOKS}`]: () => json({ ...HOOK, secret: "whsec_onlynow" }, 201) });
    const user = userEvent.setup();
    renderAt(TAB);
    await screen.findByText("No webhook yet");
    await user.click(screen.getByRole("button", { name: "New webhook" }));
    await user.type(screen.getByLabelText("Address"), URL);
    await user.click(screen.getByLabelText(/^Merges: each attempt/));
    await user.selectOptions(screen.getByLabelText("Form"), "chat");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("whsec_onlynow")).toBeTruthy();
    expect(asked.find(({ method }) => method === "POST")?.body).toEqual({ url: URL, events: ["merge_request", "merge"], form: "chat" });
    await user.click(screen.getByRole("button", { name: "I have it" }));
    expect(screen.queryByText("whsec_onlynow")).toBeNull();
  });

  it("say why an address is refused, and keep what was typed", async () => {
    serve({ ...LAKE, [`POST ${HOOKS}`]: () => problem(400, { title: "Invalid value", detail: "10.0.0.1 is an address inside of a network." }) });
    const user = userEvent.setup();
    renderAt(TAB);
    await user.click(await screen.findByRole("button", { name: "New webhook" }));
    await user.type(screen.getByLabelText("Address"), "https://10.0.0.1/");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("10.0.0.1 is an address inside of a network.")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Address").value).toBe("https://10.0.0.1/");
  });

  it("are changed, switched off, and removed after asking once more", async () => {
    const asked = serve({ ...LAKE, [`${HOOKS}3/`]: HOOK, [`PATCH ${HOOKS}3/`]: HOOK, [`DELETE ${HOOKS}3/`]: () => new Response(null, { status: 204 }) });
    const changes = () => asked.filter(({ method }) => method === "PATCH").map(({ body }) => body);
    const user = userEvent.setup();
    renderAt(TAB);
    await user.click(await screen.findByRole("button", { name: `Switch off ${URL}` }));
    await waitFor(() => expect(changes()).toEqual([{ is_active: false }]));
    await user.click(screen.getByRole("button", { name: `Change ${URL}` }));
    await user.type(screen.getByLabelText("Address"), "s");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(changes()[1]).toEqual({ url: `${URL}s`, events: ["merge_request"], form: "event" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await user.click(screen.getByRole("button", { name: `Remove ${URL}` }));
    expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Remove the webhook" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
  });

  it("show what became of each message, and send it or a test again", async () => {
    const log = `${HOOKS}3/deliveries/`;
    const waiting = { ...SENT, id: "6f0c9a3e-0000-4000-8000-000000000002", state: "pending", attempts: 2, next_attempt_at: since };
    const asked = serve({
      ...LAKE,
      [log]: page([waiting, SENT]),
      [`POST ${HOOKS}3/test/`]: () => json(SENT, 202),
      [`POST ${log}${SENT.id}/repeat/`]: () => json(SENT, 202),
    });
    const posts = () => asked.filter(({ method }) => method === "POST").map(({ address }) => address);
    const user = userEvent.setup();
    renderAt(TAB);
    await user.click(await screen.findByRole("button", { name: `Messages ${URL}` }));
    const list = await screen.findByRole("list", { name: `Messages to ${URL}` });
    const [again, given] = within(list).getAllByRole("listitem").map((item) => within(item));
    expect(again?.getByText("to be sent again")).toBeTruthy();
    expect(again?.queryByRole("button", { name: "Send it again" })).toBeNull();
    expect(given?.getByText("given up")).toBeTruthy();
    expect(given?.getByText(/attempt 8, answered 500 in 12 ms/)).toBeTruthy();
    await user.click(within(list).getByRole("button", { name: "Send it again" }));
    await waitFor(() => expect(posts()).toEqual([`${log}${SENT.id}/repeat/`]));
    await user.click(await screen.findByRole("button", { name: "Send a test message" }));
    await waitFor(() => expect(posts()[1]).toBe(`${HOOKS}3/test/`));
  });

  it("follow a message closely while it is under way, also between its attempts", () => {
    const after = (seconds: number) => Date.parse(since) + 1000 * seconds;
    const pending = { ...SENT, state: "pending" as const, attempts: 1, attempted_at: since };
    expect(deliveriesPollAfter([SENT, { ...pending, attempts: 0, attempted_at: null }], after(3600))).toBe(2000);
    expect(deliveriesPollAfter([pending], after(20))).toBe(2000);
    expect(deliveriesPollAfter([pending], after(61))).toBe(15_000);
    expect(deliveriesPollAfter([{ ...pending, state: "delivered" as const }], after(1))).toBe(15_000);
  });

  it("tell who is no owner whom to ask", async () => {
    serve({ ...LAKE, [AT]: { name: "demo", role: "maintainer" }, [HOOKS]: () => problem(403, { title: "Permission denied", detail: "This takes the role owner." }) });
    renderAt(TAB);
    expect(await screen.findByText("This takes the role owner.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "New webhook" })).toBeNull();
  });
});
