import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, page, serve } from "../../testing/server";

const ERIN = {
  username: "erin", first_name: "", last_name: "", email: "", state: "active", is_active: true, standing: "person", groups: [], last_login: null, created_at: "2026-01-01T00:00:00Z",
};
const LINK = { link: "https://lake.example.org/invitation/?secret=abc", expires_at: "2026-01-08T00:00:00Z", was_mailed: false };

function standing(said: string) {
  document.head.innerHTML = `<meta name="lakeui-standing" content="${said}">`;
}

beforeEach(() => standing("superuser"));
afterEach(() => {
  document.head.innerHTML = "";
});

it("shows the link of an invitation once", async () => {
  const asked = serve({
    "/api/v1/people/": page([ERIN]),
    "/api/v1/groups/": page([{ name: "writers", member_count: 0 }]),
    "POST /api/v1/people/": () => json({ ...ERIN, username: "frida", invitation: LINK }, 201),
  });
  const user = userEvent.setup();
  renderAt("/people");
  await user.click(await screen.findByRole("button", { name: "Invite" }));
  await user.type(screen.getByLabelText("User name"), "frida");
  await user.click(await screen.findByLabelText("writers"));
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Invite" }));
  expect(await screen.findByText(LINK.link)).toBeTruthy();
  expect(asked.find(({ method }) => method === "POST")?.body).toEqual({ username: "frida", email: "", groups: ["writers"] });
  await user.click(screen.getByRole("button", { name: "I have it" }));
  expect(screen.queryByText(LINK.link)).toBeNull();
});

it("opens the tab that the address names, and names the one that is chosen", async () => {
  serve({ "/api/v1/people/": page([ERIN]), "/api/v1/groups/": page([]) });
  const user = userEvent.setup();
  const router = renderAt("/people?tab=groups");
  await screen.findByRole("tab", { name: "Groups", selected: true });
  await user.click(screen.getByRole("tab", { name: "People" }));
  await screen.findByRole("button", { name: "Manage erin" });
  expect(router.state.location.search).toBe("");
});

it("disables an account that no one changed meanwhile", async () => {
  const asked = serve({
    "/api/v1/people/": page([ERIN]),
    "/api/v1/groups/": page([]),
    "/api/v1/people/erin/": () => json(ERIN, 200, { ETag: '"e"' }),
  });
  const user = userEvent.setup();
  renderAt("/people");
  await user.click(await screen.findByRole("button", { name: "Manage erin" }));
  await user.click(screen.getByRole("button", { name: "Disable" }));
  await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
  const sent = asked.find(({ method }) => method === "PATCH");
  expect(sent?.body).toEqual({ is_active: false });
  expect(sent?.headers.get("If-Match")).toBe('"e"');
});

it("turns off the second factor of somebody who lost it", async () => {
  const asked = serve({
    "/api/v1/people/": page([ERIN]),
    "/api/v1/groups/": page([]),
    "/api/v1/people/erin/second-factor/": { is_on: true, is_required: false, recovery_codes: 10, page: "/second-factor/" },
    "DELETE /api/v1/people/erin/second-factor/": () => new Response(null, { status: 204 }),
  });
  const user = userEvent.setup();
  renderAt("/people");
  await user.click(await screen.findByRole("button", { name: "Manage erin" }));
  await user.click(await screen.findByRole("button", { name: "Turn the second factor off" }));
  await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
});

it("offers the staff neither standings nor groups", async () => {
  standing("staff");
  serve({ "/api/v1/people/": page([ERIN]), "/api/v1/groups/": page([{ name: "writers", member_count: 1 }]) });
  const user = userEvent.setup();
  renderAt("/people");
  await user.click(await screen.findByRole("button", { name: "Manage erin" }));
  expect(screen.queryByLabelText("Standing on this server")).toBeNull();
  expect(screen.queryByLabelText("writers")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Done" }));
  await user.click(screen.getByRole("tab", { name: "Groups" }));
  expect(await screen.findByText("writers")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Remove writers" })).toBeNull();
});

it("tells who gave whom which right", async () => {
  serve({
    "/api/v1/people/": page([]),
    "/api/v1/rights-records/": page([
      { recorded_at: "2026-01-01T00:00:00Z", actor: "root", subject: "role", name: "erin", catalog: "demo", before: null, after: { role: "owner" } },
    ]),
  });
  const user = userEvent.setup();
  renderAt("/people");
  await user.click(await screen.findByRole("tab", { name: "Rights given" }));
  expect(await screen.findByText("is owner of demo")).toBeTruthy();
});

it("leads only the staff there", async () => {
  standing("person");
  serve({});
  renderAt("/settings");
  await screen.findByRole("link", { name: "Settings" });
  expect(screen.queryByRole("link", { name: "People" })).toBeNull();
});

it("changes the password and ends another session", async () => {
  const at = "2026-01-01T00:00:00Z";
  const session = { signed_in_at: at, last_seen_at: at, expires_at: at, address: "10.0.0.1" };
  const asked = serve({
    "/api/v1/tokens/": page([]),
    "/api/v1/account/": { username: "erin", full_name: "", email: "", standing: "person", groups: [], has_password: true, password_rules: ["Long."] },
    "/api/v1/account/second-factor/": { is_on: true, is_required: false, recovery_codes: 7, page: "/second-factor/" },
    "/api/v1/account/sessions/": page([
      { ...session, id: "a", agent: "Here", is_this: true },
      { ...session, id: "b", agent: "There", is_this: false },
    ]),
    "DELETE /api/v1/account/sessions/b/": () => new Response(null, { status: 204 }),
    "PUT /api/v1/account/password/": () => new Response(null, { status: 204 }),
  });
  const user = userEvent.setup();
  renderAt("/settings");
  await user.click(await screen.findByRole("button", { name: "End it in There" }));
  await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
  expect(await screen.findByText(/^A code of your app is asked for too. Recovery codes left: 7/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Change the second factor" }).getAttribute("href")).toBe("/second-factor/");
  await user.type(screen.getByLabelText("Present password"), "old");
  await user.type(screen.getByLabelText("New password"), "a new one");
  await user.click(screen.getByRole("button", { name: "Change it" }));
  expect(await screen.findByText(/^The new password holds/)).toBeTruthy();
  expect(asked.find(({ method }) => method === "PUT")?.body).toEqual({ present: "old", new: "a new one" });
});

it("shows what holds each agent and when its tokens were used, and ends one", async () => {
  const agent = {
    name: "fixer", owner: "erin", model: "m-1", purpose: "Corrects carriers", branches: "agent/fixer/*", catalogs: ["demo"],
    tables: ["flights.airlines"], statements: [], writes_per_hour: 100, rows_per_hour: null, branch_days: 7, created_at: "2026-01-01T00:00:00Z",
  };
  const token = {
    id: 1, name: "at work", prefix: "lake_ab", scopes: ["read", "write"], created_at: "2026-01-01T00:00:00Z", expires_at: null, is_expired: false,
  };
  const asked = serve({
    "/api/v1/people/": page([ERIN]),
    "/api/v1/groups/": page([]),
    "/api/v1/agents/": { results: [agent] },
    "/api/v1/agents/fixer/tokens/": page([{ ...token, last_used_at: null }]),
    "DELETE /api/v1/agents/fixer/": () => new Response(null, { status: 204 }),
  });
  const user = userEvent.setup();
  renderAt("/people");
  await user.click(await screen.findByRole("tab", { name: "Agents" }));
  const entry = within(await screen.findByRole("list", { name: "Agents" }));
  for (const shown of ["agent/fixer/*", "flights.airlines", "all that change tables", "100 writes", "m-1"]) {
    expect(entry.getByText(shown)).toBeTruthy();
  }
  expect(asked.some(({ address }) => address.includes("tokens"))).toBe(false);
  await user.click(entry.getByText("Tokens, and when each was used last"));
  expect(await screen.findByText(/never used/)).toBeTruthy();
  await user.click(entry.getByRole("button", { name: "End fixer" }));
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "End" }));
  await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
});

it("shows a person who is not of the staff no tabs, and says whom to ask", async () => {
  standing("person");
  const asked = serve({});
  renderAt("/people");
  expect(await screen.findByText("Accounts are for the staff of the server")).toBeTruthy();
  expect(screen.queryByRole("tab")).toBeNull();
  expect(asked.some(({ address }) => address.startsWith("/api/v1/people/"))).toBe(false);
});
