import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { DELAYS, json, page, serve, type Asked } from "../../testing/server";

const SESSION = {
  id: "s-1", url: "/api/v1/sessions/s-1/", catalog: "demo", branch: "delays", database: null, temporary_views: {}, temporary_functions: {},
  partition_overwrite: "static", transaction: null, created_at: "2026-01-01T00:00:00Z", used_at: "2026-01-01T00:00:00Z", expires_at: "2026-01-02T00:00:00Z",
};
const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: null, metrics: {} };
const NO_TABLES = {
  ...Object.fromEntries(["main", "delays"].map((branch) => [`/api/v1/catalogs/demo/branches/${branch}/databases/`, page([])])),
  "/api/v1/catalogs/demo/queries/": page([]),
};

function bodies(asked: Asked[], address: string): unknown[] {
  return asked.filter((entry) => entry.method === "POST" && entry.address === address).map((entry) => entry.body);
}

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});

describe("a write on a branch that others rely on", () => {
  const WRITE = encodeURIComponent("UPDATE d.t SET a = 1");

  function written(branch: object, protection: object) {
    return serve({
      ...NO_TABLES,
      "/api/v1/catalogs/demo/branches/delays/": branch,
      "/api/v1/catalogs/demo/branches/delays/protection/": protection,
      "POST /api/v1/sessions/": () => json(SESSION, 201),
      "GET /api/v1/sessions/s-1/": () => json(SESSION),
      "POST /api/v1/sql/": () => json(DONE),
    });
  }

  it("is asked once in a session", async () => {
    const asked = written(DELAYS, { is_protected: true });
    const user = userEvent.setup();
    renderAt(`/c/demo/sql?branch=delays&statement=${WRITE}`);
    await user.click(await screen.findByRole("button", { name: "Run" }));
    const dialog = await screen.findByRole("dialog", { name: "Write to delays?" });
    expect(dialog.textContent).toContain("delays is protected.");
    expect(bodies(asked, "/api/v1/sql/")).toEqual([]);
    await user.click(within(dialog).getByRole("button", { name: "Write to delays" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toHaveLength(1));
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toHaveLength(2));
    sessionStorage.clear();
    await user.click(await screen.findByRole("button", { name: "Run" }));
    expect(await screen.findByRole("dialog", { name: "Write to delays?" })).toBeTruthy();
  });

  it("is not asked again where the browser keeps the answer", async () => {
    const asked = written({ ...DELAYS, is_main: true }, { is_protected: false });
    const user = userEvent.setup();
    renderAt(`/c/demo/sql?branch=delays&statement=${WRITE}`);
    await user.click(await screen.findByRole("button", { name: "Run" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("delays is the default branch.");
    await user.click(within(dialog).getByRole("checkbox", { name: "Do not ask again for this branch in this browser" }));
    await user.click(within(dialog).getByRole("button", { name: "Write to delays" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toHaveLength(1));
    sessionStorage.clear();
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toHaveLength(2));
  });

  it("is not asked on any other branch, and not of a read", async () => {
    const asked = written(DELAYS, { is_protected: false });
    const user = userEvent.setup();
    const router = renderAt(`/c/demo/sql?branch=delays&statement=${WRITE}`);
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toHaveLength(1));
    await act(() => router.navigate("/c/demo/sql?branch=main&statement=SELECT%201"));
    const before = asked.length;
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/").length).toBeGreaterThan(1));
    expect(asked.slice(before).filter(({ address }) => address.endsWith("/protection/"))).toEqual([]);
  });
});
