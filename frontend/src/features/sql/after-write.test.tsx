import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { DELAYS, json, page, problem, serve } from "../../testing/server";

const NO_TABLES = {
  "/api/v1/catalogs/demo/branches/main/databases/": page([]),
  "/api/v1/catalogs/demo/branches/delays/databases/": page([]),
};
const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: null, metrics: {} };
const SESSION = {
  id: "s-1", url: "/api/v1/sessions/s-1/", catalog: "demo", branch: "main", database: null, temporary_views: {}, temporary_functions: {},
  parameters: {}, transaction: null,
};

beforeEach(() => sessionStorage.clear());

describe("after a write", () => {
  const WRITTEN = { ...DONE, version: 17, metrics: { files_added: 1, rows_updated: 4, bytes_written: 2136, rows_deleted: 0 } };
  const session = { ...SESSION, branch: "delays" };
  const written = () =>
    serve({
      ...NO_TABLES,
      "/api/v1/catalogs/demo/branches/delays/": DELAYS,
      "POST /api/v1/sessions/": () => json(session, 201),
      "GET /api/v1/sessions/s-1/": () => json(session),
      "POST /api/v1/sql/": () => json(WRITTEN),
    });
  const STATEMENT_OF = (statement: string) => `/c/demo/sql?branch=delays&statement=${encodeURIComponent(statement)}`;

  it("says its rows first, and leads to them, to the comparison and to the table before", async () => {
    written();
    renderAt(STATEMENT_OF("UPDATE flights.`odd name` SET a = 1"));
    await userEvent.setup().click(await screen.findByRole("button", { name: "Run" }));
    const after = within(await screen.findByRole("group", { name: "After this commit" }));
    expect(screen.getAllByRole("term").map(({ textContent }) => textContent)).toEqual(["rows updated", "files added", "bytes written"]);
    expect(screen.getByText("2.14 kB")).toBeTruthy();
    await after.findByRole("link", { name: "Compare with main" });
    expect(after.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
      ["See changed rows", "/c/demo/b/delays/t/flights/odd%20name?tab=changes"],
      ["See the commit", "/c/demo/b/delays?tab=history&commit=17"],
      ["Compare with main", "/c/demo/compare/delays...main"],
      ["Undo …", "/c/demo/b/delays/t/flights/odd%20name?version=16"],
    ]);
  });

  it.each(["USE BRANCH other; UPDATE d.t SET a = 1", "BEGIN; UPDATE d.t SET a = 1"])("leads nowhere where another branch, or no commit yet, has it: %s", async (text) => {
    written();
    renderAt(STATEMENT_OF(text));
    await userEvent.setup().click(await screen.findByRole("button", { name: "Run 2 statements" }));
    await screen.findByText("rows updated");
    expect(screen.queryByRole("group", { name: "After this commit" })).toBeNull();
  });

  it("says on which branch a statement failed, where the session was on another", async () => {
    sessionStorage.setItem("lakeui.session.demo", JSON.stringify({ id: "s-1", branch: "main" }));
    const moved: string[] = [];
    serve({
      ...NO_TABLES,
      "GET /api/v1/sessions/s-1/": () => json(SESSION),
      "POST /api/v1/sql/": (asked) => {
        const { statement } = asked.body as { statement: string };
        moved.push(statement);
        return statement.startsWith("USE") ? json(DONE) : problem(403, { code: "PERMISSION_DENIED", title: "Permission denied", detail: "Branch delays is protected." });
      },
    });
    renderAt(STATEMENT_OF("DELETE FROM d.t"));
    await userEvent.setup().click(await screen.findByRole("button", { name: "Run" }));
    await screen.findByText("Branch delays is protected.");
    expect(moved[0]).toBe("USE BRANCH `demo`.`delays`");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toMatch(/^SQL on\s+demo · delays$/);
  });
});
