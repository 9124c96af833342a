import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { PIPELINE } from "../../testing/pipelines";
import { renderAt } from "../../testing/render";
import { page, serve } from "../../testing/server";

const AT = "/api/v1/pipelines/7/";
const ZONES = `${AT}landing-zones/`;
const FILES = `${ZONES}orders/files/`;
const at = "/c/demo/pipelines/7?tab=landing";
const zone = (name: string, counts = {}) => ({ name, waiting: 0, waiting_bytes: 0, archived: 0, is_read: true, ...counts });
const file = (name: string, state: "waiting" | "archived") => ({
  id: name,
  zone: "orders",
  name,
  state,
  format: "csv",
  bytes: 2000,
  rows: 3,
  columns: [{ name: "id", type: "bigint" }],
  warnings: [],
  created_by: "alice",
  created_at: "2026-01-02T00:00:00Z",
  archived_at: state === "archived" ? "2026-01-03T00:00:00Z" : null,
  run: null,
});
const lake = (role: string, zones = [zone("orders", { waiting: 1, archived: 1 }), zone("late")]) => ({
  "/api/v1/catalogs/demo/": { name: "demo", role },
  [AT]: PIPELINE,
  [ZONES]: zones,
  [FILES]: page([file("b.csv", "waiting"), file("a.csv", "archived")]),
});

describe("landing zones of a pipeline", () => {
  it("show the files that wait and those that a run read", async () => {
    serve(lake("viewer"));
    renderAt(at);
    const rows = await screen.findByRole("list", { name: "Files of the zone" });
    expect(within(rows).getByText("b.csv")).toBeTruthy();
    expect(within(rows).getAllByText(/3 rows, 1 column/)).toHaveLength(2);
    expect(screen.getByRole("option", { name: "orders: 1 file waiting, 1 archived" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Delete/ })).toBeNull();
    expect(screen.queryByLabelText("Choose files")).toBeNull();
  });

  it("let contributors read a file again, and delete one after a question", async () => {
    const asked = serve({ ...lake("contributor"), [`${FILES}a.csv/`]: file("a.csv", "waiting"), [`${FILES}b.csv/`]: {} });
    renderAt(at);
    const user = userEvent.setup();
    await user.click(await screen.findByRole("button", { name: "Read a.csv again" }));
    await user.click(screen.getByRole("button", { name: "Delete b.csv" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(asked.some(({ method, address }) => method === "DELETE" && address === `${FILES}b.csv/`)).toBe(true));
    expect(asked.some(({ method, address }) => method === "PATCH" && address === `${FILES}a.csv/`)).toBe(true);
    expect(screen.getByLabelText("Choose files")).toBeTruthy();
  });

  it("say what to write where the source names none", async () => {
    serve(lake("contributor", []));
    renderAt(at);
    expect(await screen.findByText("SELECT * FROM {{ landing('orders') }}")).toBeTruthy();
  });
});
