import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, MAIN, page, problem, serve } from "../../testing/server";

const BRANCH = "/api/v1/catalogs/demo/branches/main/";
const HOME = `${BRANCH}databases/sales/`;
const SUMMARY = { name: "late", view_id: 3, database: "sales", comment: "Late ones" };
const VIEW = {
  ...SUMMARY, version: 16, made_version: 12, made_at: "2026-01-01T00:00:00Z", query: "SELECT id FROM sales.orders", column_names: [], properties: {},
  reads: [{ database: "sales", table: "orders", columns: ["id"] }, { database: "sales", table: "old", columns: [] }],
};
const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: 17, metrics: {} };

function lake(role: string, more: Record<string, object> = {}) {
  return serve({
    [BRANCH]: MAIN,
    "/api/v1/catalogs/demo/": { name: "demo", role },
    [`${BRANCH}databases/`]: page([{ name: "sales", database_id: 1, comment: "" }]),
    [`${HOME}tables/`]: page([{ name: "orders", table_id: 5, comment: "", column_count: 2 }]),
    [`${HOME}views/`]: page([SUMMARY]),
    [`${HOME}views/late/`]: VIEW,
    "POST /api/v1/sql/": () => json({ ...DONE, rows: [["id", "int", null, null, "which"]] }),
    ...more,
  });
}

it("stands among the tables of its database, and leads to its page", async () => {
  lake("viewer");
  renderAt("/c/demo/b/main");
  const views = within(await screen.findByRole("list", { name: "Views of sales" }));
  expect(views.getByRole("link", { name: "late" }).getAttribute("href")).toBe("/c/demo/b/main/v/sales/late");
  expect(views.getByText("Late ones")).toBeTruthy();
});

it("shows its query, what that reads, and its columns; a viewer drops nothing", async () => {
  lake("viewer");
  renderAt("/c/demo/b/main/v/sales/late");
  expect(await screen.findByText("SELECT id FROM sales.orders")).toBeTruthy();
  const reads = within(screen.getByRole("list", { name: "What the view reads" }));
  expect((await reads.findByRole("link", { name: /orders/ })).getAttribute("href")).toBe("/c/demo/b/main/t/sales/orders");
  expect(reads.queryByRole("link", { name: /old/ })).toBeNull();
  expect(await screen.findByRole("row", { name: "id int which" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Query" }).getAttribute("href")).toContain("/c/demo/sql");
  expect(screen.queryByRole("button", { name: "Drop …" })).toBeNull();
});

it("is dropped by who may write, and leads back to its database", async () => {
  const asked = lake("contributor");
  const user = userEvent.setup();
  const router = renderAt("/c/demo/b/main/v/sales/late");
  await user.click(await screen.findByRole("button", { name: "Drop …" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Drop the view" }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/b/main"));
  const sent = asked.filter(({ method }) => method === "POST").map(({ body }) => (body as { statement: string }).statement);
  expect(sent).toContain("DROP VIEW `sales`.`late`");
});

it("says that no view has the name", async () => {
  lake("viewer", { [`${HOME}views/late/`]: () => problem(404, { code: "NOT_FOUND", kind: "view", title: "Not found", detail: "There is no view sales.late." }) });
  renderAt("/c/demo/b/main/v/sales/late");
  expect(await screen.findByText("There is no view sales.late.")).toBeTruthy();
});
