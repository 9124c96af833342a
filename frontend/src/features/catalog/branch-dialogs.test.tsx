import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { DELAYS, MAIN, page, serve, type Asked } from "../../testing/server";

const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: 17, metrics: {} };
const CATALOG = { name: "demo", comment: "", created_at: MAIN.created_at, branch_count: 2, commit_count: 16, last_commit: MAIN.last_commit, role: "owner", main: MAIN, merge_count: 0, refused_count: 0, running_task_count: 0 };

let asked: Asked[];
beforeEach(() => {
  asked = serve({
    "/api/v1/catalogs/demo/": CATALOG,
    "/api/v1/catalogs/demo/branches/": page([MAIN, { ...DELAYS, expires_at: "2026-01-01T00:00:00Z", expiry_waits_for: "Merge request 4 is open." }]),
    "POST /api/v1/sql/": DONE,
  });
});

const sent = () => asked.find(({ method, address }) => method === "POST" && address === "/api/v1/sql/")?.body;

it("says what an expired branch waits for, and sets another expiry", async () => {
  const user = userEvent.setup();
  renderAt("/c/demo");
  const rows = within(await screen.findByRole("list", { name: "Branches" }));
  expect((await rows.findByText(/^expired/)).textContent).toContain("It is not dropped yet: Merge request 4 is open.");
  await user.click(screen.getByLabelText("Change delays"));
  await user.click(await screen.findByRole("button", { name: "Set when it expires" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.selectOptions(dialog.getByLabelText("Expires"), "in 7 days");
  await user.click(dialog.getByRole("button", { name: "Set" }));
  await waitFor(() => expect(sent()).toMatchObject({ statement: "ALTER BRANCH `delays` SET EXPIRY '7 days'" }));
});

it("undrops the chosen branch of several of a name, under another one", async () => {
  const user = userEvent.setup();
  const dropped = { ...DELAYS, branch_id: 7, is_dropped: true, dropped_at: "2026-01-01T00:00:00Z" };
  asked = serve({ "/api/v1/catalogs/demo/": CATALOG, "/api/v1/catalogs/demo/branches/": page([dropped]), "POST /api/v1/sql/": DONE });
  renderAt("/c/demo");
  await user.click(await screen.findByRole("button", { name: "Undrop delays" }));
  const dialog = within(await screen.findByRole("dialog"));
  const name = dialog.getByLabelText("Name");
  expect((name as HTMLInputElement).value).toBe("delays");
  await user.clear(name);
  await user.type(name, "before");
  await user.click(dialog.getByRole("button", { name: "Undrop" }));
  await waitFor(() => expect(sent()).toMatchObject({ statement: "UNDROP BRANCH `delays` WITH ID '7' AS `before`" }));
});

it("lists dropped branches where the address asks for them, until the person does not", async () => {
  const user = userEvent.setup();
  renderAt("/c/demo?branches=dropped");
  const box = await screen.findByLabelText<HTMLInputElement>("dropped");
  expect(box.checked).toBe(true);
  await user.click(box);
  expect(box.checked).toBe(false);
});
