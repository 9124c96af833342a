import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, page, serve } from "../../testing/server";

const CI = {
  id: 7, name: "ci", prefix: "lake_ab", scopes: ["read", "write"], catalogs: null, created_at: "2026-01-01T00:00:00Z", expires_at: null, last_used_at: null, is_expired: false,
};

it("shows a new token once, with its end and what it may be used for", async () => {
  const asked = serve({ "/api/v1/tokens/": page([]), "POST /api/v1/tokens/": () => json({ ...CI, token: "lake_abcdef" }, 201) });
  const user = userEvent.setup();
  renderAt("/settings");
  await user.click(await screen.findByRole("button", { name: "New token" }));
  await user.type(screen.getByLabelText("Name"), "ci");
  await user.selectOptions(screen.getByLabelText("Expires in"), "30 days");
  await user.click(screen.getByLabelText(/^merge:/));
  await user.click(screen.getByRole("button", { name: "Create" }));
  expect(await screen.findByText("lake_abcdef")).toBeTruthy();
  const sent = asked.find(({ method }) => method === "POST")?.body as { name: string; expires_at: string; scopes: string[] };
  expect(sent).toMatchObject({ name: "ci", scopes: ["read", "write", "merge"], catalogs: null });
  const days = (Date.parse(sent.expires_at) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThanOrEqual(30);
  await user.click(screen.getByRole("button", { name: "I have it" }));
  expect(screen.queryByText("lake_abcdef")).toBeNull();
});

it("limits a token to catalogs", async () => {
  const limited = { ...CI, catalogs: ["demo"] };
  const asked = serve({ "/api/v1/tokens/": page([limited]), "POST /api/v1/tokens/": () => json({ ...limited, token: "lake_abcdef" }, 201) });
  const user = userEvent.setup();
  renderAt("/settings");
  expect(await screen.findByText("may read, write in demo")).toBeTruthy();
  await user.click(await screen.findByRole("button", { name: "New token" }));
  await user.type(screen.getByLabelText("Name"), "ci");
  const create = screen.getByRole<HTMLButtonElement>("button", { name: "Create" });
  expect(screen.queryByLabelText("demo")).toBeNull();
  await user.click(screen.getByLabelText(/^Only these/));
  expect(create.disabled).toBe(true);
  await user.click(screen.getByLabelText("demo"));
  await user.click(create);
  await screen.findByText("lake_abcdef");
  expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ scopes: ["read", "write"], catalogs: ["demo"] });
});

it("revokes a token after asking once more", async () => {
  const asked = serve({ "/api/v1/tokens/": page([CI]), "/api/v1/tokens/7/": () => new Response(null, { status: 204 }) });
  const user = userEvent.setup();
  renderAt("/settings");
  await user.click(await screen.findByRole("button", { name: "Revoke ci" }));
  expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
  await user.click(screen.getByRole("button", { name: "Revoke" }));
  await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});
