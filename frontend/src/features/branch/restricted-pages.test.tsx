import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { page, problem, serve } from "../../testing/server";

const BRANCH = "/api/v1/catalogs/demo/branches/main/";
const TABLE = `${BRANCH}databases/flights/tables/airlines/`;
const refused = () => problem(403, { code: "ROWS_RESTRICTED", title: "Rows are restricted", detail: "Rows of demo are restricted for you." });
const LAKE = {
  "/api/v1/catalogs/demo/": refused,
  [BRANCH]: refused,
  [TABLE]: refused,
  [`${BRANCH}databases/`]: page([{ database_id: 1, name: "flights", comment: "" }]),
  [`${BRANCH}databases/flights/tables/`]: page([{ table_id: 3, name: "airlines", comment: "", column_count: 2, schema_version: 1, sizes: null }]),
  [`${TABLE}rows/`]: { columns: [{ name: "carrier", type: "string" }], rows: [["AA"]], row_count: 1, truncated: false, version: 16, metrics: {} },
};

it("shows the tables of a branch of which rows are hidden, and says so", async () => {
  serve(LAKE);
  renderAt("/c/demo/b/main");
  expect((await screen.findByRole("note")).textContent).toContain("are hidden from you");
  expect(await screen.findByRole("link", { name: "airlines" })).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

it("shows the rows of a table that are left", async () => {
  serve(LAKE);
  renderAt("/c/demo/b/main/t/flights/airlines");
  expect((await screen.findByRole("note")).textContent).toContain("are hidden from you");
  expect(await within(await screen.findByRole("main")).findByText("AA")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});
