import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, MAIN, page, problem, serve } from "../../testing/server";

const BRANCH = "/api/v1/catalogs/demo/branches/main/";
const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: 17, metrics: {} };
const TABLE = {
  kind: "table", id: 7, database: "sales", table: "totals", branch: "main", version: 12, dropped_at: "2026-01-01T00:00:00Z", author: "alice",
  operation: "DROP TABLE", statement: "DROP TABLE sales.totals", kept_until: "2026-01-31T00:00:00Z", tables: 0, needs_database: false, name_taken: false,
};
const DATABASE = { ...TABLE, kind: "database", id: 3, table: "", database: "old", tables: 2, name_taken: true, operation: "MERGE BRANCH", author: "" };
const INSIDE = { ...TABLE, id: 8, database: "old", table: "inner", needs_database: true };

function trash(role: string, ...results: unknown[]) {
  return {
    [BRANCH]: MAIN,
    "/api/v1/catalogs/demo/": { name: "demo", role },
    [`${BRANCH}trash/`]: page(results),
    [`${BRANCH}databases/`]: page([]),
    "POST /api/v1/sql/": () => json(DONE),
  };
}

it("says what was dropped, by whom, and brings it back by its id", async () => {
  const asked = serve(trash("contributor", TABLE, DATABASE, INSIDE));
  const user = userEvent.setup();
  const router = renderAt("/c/demo/b/main?tab=trash");
  const list = within(await screen.findByRole("list", { name: "Dropped from main" }));
  const [table, database, inside] = list.getAllByRole("listitem").map((row) => row.textContent);
  expect(table).toMatch(/^sales\.totalsDROP TABLE by alice, .*\(v12\)may expire/);
  expect(database).toMatch(/^old.*database with 2 tables.*Another database has this name now/);
  expect(inside).toMatch(/^old\.inner.*Bring that back first/);
  expect(list.queryByRole("button", { name: "Undrop old.inner" })).toBeNull();
  await user.click(await list.findByRole("button", { name: "Undrop sales.totals" }));
  const dialog = within(await screen.findByRole("dialog"));
  const statement = "UNDROP TABLE `sales`.`totals` WITH ID '7'";
  expect(dialog.getByLabelText("The statement that runs").textContent).toBe(statement);
  await user.click(dialog.getByRole("button", { name: "Undrop" }));
  await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ catalog: "demo", branch: "main", statement }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/b/main/t/sales/totals"));
});

it("asks for another name where the old one is taken, and shows a refusal", async () => {
  const asked = serve({
    ...trash("contributor", DATABASE),
    "POST /api/v1/sql/": () => problem(409, { code: "MERGE_CONFLICT", title: "Conflict", detail: "There is a database older already." }),
  });
  const user = userEvent.setup();
  renderAt("/c/demo/b/main?tab=trash");
  await user.click(await screen.findByRole("button", { name: "Undrop old" }));
  const dialog = within(await screen.findByRole("dialog"));
  const action = dialog.getByRole<HTMLButtonElement>("button", { name: "Undrop" });
  await user.type(dialog.getByLabelText("Name"), "old");
  expect(action.disabled).toBe(true);
  await user.type(dialog.getByLabelText("Name"), "er");
  await user.click(action);
  expect((await dialog.findByRole("alert")).textContent).toContain("There is a database older already.");
  expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ statement: "UNDROP DATABASE `old` WITH ID '3' AS `older`" });
});

it("offers a viewer no way to change anything", async () => {
  serve(trash("viewer", TABLE));
  renderAt("/c/demo/b/main?tab=trash");
  await screen.findByText("sales.totals");
  expect(screen.queryByRole("button", { name: /Undrop/ })).toBeNull();
});
