import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, page, problem, serve } from "../../testing/server";

const SESSION = {
  id: "s-1", url: "/api/v1/sessions/s-1/", catalog: "demo", branch: "main", database: null, temporary_views: {}, temporary_functions: {},
  partition_overwrite: "static", transaction: null, created_at: "2026-01-01T00:00:00Z", used_at: "2026-01-01T00:00:00Z", expires_at: "2026-01-02T00:00:00Z",
};
const REFUSED = {
  code: "INVALID_VALUE", title: "Invalid value", detail: "The table orders is named without its database.",
  remedy: "Did you mean sales.orders? Write sales.orders, or choose the database by USE DATABASE.",
  table: "orders", nearest: "sales.orders", replacement: "sales.orders", line: 2, column: 17, near: "orders",
};

beforeEach(() => sessionStorage.clear());

describe("a table that is named without its database", () => {
  it("is replaced by the one that was meant, at its place", async () => {
    serve({
      "/api/v1/catalogs/demo/branches/main/databases/": page([]),
      "/api/v1/catalogs/demo/queries/": page([]),
      "POST /api/v1/sessions/": () => json(SESSION, 201),
      "GET /api/v1/sessions/s-1/": () => json(SESSION),
      "POST /api/v1/sql/": () => problem(400, REFUSED),
    });
    const user = userEvent.setup();
    renderAt(`/c/demo/sql?statement=${encodeURIComponent("SELECT orders\n  AS x     FROM orders;")}`);
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await user.click(await screen.findByRole("button", { name: "Write sales.orders" }));
    await waitFor(() => expect(screen.getByRole("textbox", { name: "SQL statement" }).textContent).toBe("SELECT orders  AS x     FROM sales.orders;"));
    // The text is another than the one that was refused.
    expect(screen.queryByRole("button", { name: "Write sales.orders" })).toBeNull();
  });
});
