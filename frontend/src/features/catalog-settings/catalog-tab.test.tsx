import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { page, serve } from "../../testing/server";

const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: null, metrics: {} };
const GONE = { catalog_id: 7, name: "demo", comment: "", dropped_at: "2026-01-01T00:00:00Z", kept_until: "2026-01-31T00:00:00Z" };
const EMPTY = { "/api/v1/inbox/": page([]), "/api/v1/tasks/": page([]) };
const CATALOG = { name: "demo", comment: "", branch_count: 1, commit_count: 3, last_commit: null, created_at: "2026-01-01T00:00:00Z" };

function settings(role: string) {
  return { ...EMPTY, "/api/v1/catalogs/demo/": { name: "demo", role }, "POST /api/v1/sql/": DONE };
}

it("renames a catalog by the statement that it shows", async () => {
  const asked = serve({ ...settings("owner"), "/api/v1/catalogs/": page([]) });
  const user = userEvent.setup();
  const router = renderAt("/c/demo/settings?tab=catalog");
  await user.click(await screen.findByRole("button", { name: "Rename demo" }));
  const dialog = within(await screen.findByRole("dialog"));
  const action = dialog.getByRole<HTMLButtonElement>("button", { name: "Rename it" });
  expect(action.disabled).toBe(true);
  await user.type(dialog.getByLabelText("New name"), "2");
  await user.click(action);
  const statement = "ALTER CATALOG `demo` RENAME TO `demo2`";
  await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ catalog: null, statement }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo2"));
});

it("drops a catalog once its name is typed", async () => {
  const asked = serve({ ...settings("owner"), "/api/v1/catalogs/": page([]), "/api/v1/dropped-catalogs/": page([]) });
  const user = userEvent.setup();
  const router = renderAt("/c/demo/settings?tab=catalog");
  await user.click(await screen.findByRole("button", { name: "Drop demo" }));
  const dialog = within(await screen.findByRole("dialog"));
  const action = dialog.getByRole<HTMLButtonElement>("button", { name: "Drop it" });
  await user.type(dialog.getByLabelText("Type demo to drop it"), "dem");
  expect(action.disabled).toBe(true);
  await user.type(dialog.getByLabelText("Type demo to drop it"), "o");
  await user.click(action);
  await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ statement: "DROP CATALOG `demo`" }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/"));
});

it("is for owners", async () => {
  serve(settings("maintainer"));
  renderAt("/c/demo/settings?tab=catalog");
  expect((await screen.findByRole<HTMLButtonElement>("button", { name: "Drop demo" })).disabled).toBe(true);
  expect(screen.getByText(/Owners rename and drop it/)).toBeTruthy();
});

it("brings a dropped catalog back under another name where its own is taken", async () => {
  const asked = serve({
    ...EMPTY,
    "/api/v1/catalogs/": page([CATALOG]),
    "/api/v1/catalogs/demo/branches/": page([]),
    "/api/v1/catalogs/demo/merge-requests/": page([]),
    "/api/v1/dropped-catalogs/": page([GONE]),
    "POST /api/v1/sql/": DONE,
  });
  const user = userEvent.setup();
  renderAt("/");
  await user.click(await screen.findByRole("button", { name: "Undrop demo" }));
  const dialog = within(await screen.findByRole("dialog"));
  const action = dialog.getByRole<HTMLButtonElement>("button", { name: "Undrop" });
  expect(action.disabled).toBe(true);
  await user.type(dialog.getByLabelText("Another name, as a catalog has this one now"), "older");
  await user.click(action);
  const statement = "UNDROP CATALOG `demo` WITH ID '7' AS `older`";
  await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ catalog: null, statement }));
});
