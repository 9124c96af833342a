import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { configuration, PIPELINE, run } from "../../testing/pipelines";
import { renderAt } from "../../testing/render";
import { json, page, serve } from "../../testing/server";

const AT = "/api/v1/pipelines/7/";
const LAKE = { "/api/v1/catalogs/demo/": { name: "demo", role: "contributor" }, [AT]: PIPELINE };
const at = "/c/demo/pipelines/7/runs/r-1";

describe("a run", () => {
  it("says in numbers what it wrote, and leads to the commit, the table and the version", async () => {
    serve({ ...LAKE, [`${AT}runs/r-1/`]: run() });
    renderAt(at);
    const figures = await screen.findByText("rows inserted");
    expect(figures.nextElementSibling?.textContent).toBe("1,200");
    expect(screen.getByText("written").nextElementSibling?.textContent).toBe("4.10 kB");
    expect(screen.getByRole("link", { name: "main at v17" }).getAttribute("href")).toBe("/c/demo/b/main?tab=history&commit=17");
    expect(screen.getByRole("link", { name: "flights.seen" }).getAttribute("href")).toBe("/c/demo/b/main/t/flights/seen");
    expect(screen.getByRole("link", { name: "version 3" }).getAttribute("href")).toBe("/c/demo/pipelines/7?tab=versions&version=3");
    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
  });

  it("shows its phases while it works, and is cancelled", async () => {
    const steps = [
      { name: "render", detail: "", started: "2026-01-02T00:00:01Z", finished: "2026-01-02T00:00:02Z" },
      { name: "execute", detail: "compute the rows once", started: "2026-01-02T00:00:02Z", finished: null },
    ];
    const asked = serve({
      ...LAKE,
      [`${AT}runs/r-1/`]: run({ state: "running", steps, progress: 0.4, finished_at: null, committed_version: null, metrics: {} }),
      "/api/v1/tasks/r-1/cancel/": { id: "r-1" },
    });
    renderAt(at);
    expect(await screen.findByText("compute the rows once")).toBeTruthy();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("40");
    await userEvent.setup().click(screen.getByRole("button", { name: "Cancel" }));
    expect(await screen.findByRole("button", { name: "Stopping …" })).toBeTruthy();
    expect(asked.some(({ method, address }) => method === "POST" && address === "/api/v1/tasks/r-1/cancel/")).toBe(true);
  });

  it("that fell back says from what, and why", async () => {
    const degraded = configuration({}, { degraded: true, asked_strategy: "snapshot", missing: ["partition_column"], warnings: ["snapshot requires partition_column; the run falls back to full_refresh."] });
    serve({ ...LAKE, [`${AT}runs/r-1/`]: run({ degraded: true, strategy: "full_refresh", configuration: degraded }) });
    renderAt(at);
    expect(await screen.findByText("Degraded: it ran as full_refresh")).toBeTruthy();
    expect(screen.getByText(/snapshot requires partition_column/)).toBeTruthy();
    expect(within(screen.getByRole("heading", { level: 1 })).getByText("degraded")).toBeTruthy();
  });

  it("that failed names its mistakes, what it had said, and is retried as a run of its own", async () => {
    const error = { status: 422, code: "INVALID_CONFIG", title: "Invalid configuration", detail: "One.", errors: [{ file: "source", line: 3, message: "There is no pipeline x.", remedy: "" }] };
    const log = [
      { time: "2026-01-02T00:00:01.500Z", phase: "resolve config", level: "warning" as const, message: "tie_break means nothing." },
      { time: "2026-01-02T00:00:02.000Z", phase: "failed", level: "error" as const, message: "There is no pipeline x." },
    ];
    const steps = [
      { name: "resolve config", detail: "", started: "2026-01-02T00:00:01Z", finished: "2026-01-02T00:00:02Z" },
      { name: "render", detail: "", started: "2026-01-02T00:00:02Z", finished: "2026-01-02T00:00:04Z" },
    ];
    serve({
      ...LAKE,
      [`${AT}runs/r-1/`]: run({ state: "failed", error, log, steps, committed_version: null, metrics: {} }),
      "POST /api/v1/tasks/r-1/retry/": { id: "r-2" },
      [`${AT}runs/r-2/`]: run({ id: "r-2", trigger: "retry" }),
    });
    const router = renderAt(at);
    const groups = within(await screen.findByRole("list", { name: "Log by steps" })).getAllByRole("listitem").filter((item) => item.querySelector("ol"));
    expect(groups.map((group) => group.textContent)).toEqual([
      "✓resolve config1.0 s00:00:01.500▽warning: tie_break means nothing.", "✕render2.0 s00:00:02.000✕error: failed There is no pipeline x.",
    ]);
    expect(screen.getByRole("alert").textContent).toContain("source, line 3 There is no pipeline x.");
    await userEvent.setup().click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText(/^retried by alice/)).toBeTruthy();
    expect(router.state.location.pathname).toBe("/c/demo/pipelines/7/runs/r-2");
  });

  it("that lacks the columns of versions offers to add them, by the statement that the server says", async () => {
    const statement = "ALTER TABLE d.t ADD COLUMNS (valid_from TIMESTAMP, valid_to TIMESTAMP)";
    const errors = ["valid_from", "valid_to"].map((name) => ({ file: "config.yaml", line: 1, message: `Table d.t has no column ${name}, which scd2 needs.`, remedy: statement }));
    const error = { status: 422, code: "INVALID_CONFIG", title: "Invalid configuration", detail: "Two.", errors, statement };
    const asked = serve({
      ...LAKE,
      [`${AT}runs/r-1/`]: run({ state: "failed", error, committed_version: null, metrics: {} }),
      "POST /api/v1/sql/": { columns: [], rows: [], row_count: 0, truncated: false, version: 9, metrics: {}, kind: "alter_table" },
    });
    const user = userEvent.setup();
    renderAt(at);
    await user.click(await screen.findByRole("button", { name: "Add the two columns …" }));
    expect((await screen.findByLabelText("The statement that runs")).textContent).toBe(statement);
    await user.click(screen.getByRole("button", { name: "Add the columns" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const sent = asked.find(({ method, address }) => method === "POST" && address === "/api/v1/sql/");
    expect(sent?.body).toMatchObject({ statement, branch: "main" });
  });

  it("that was published after checks leads to its merge", async () => {
    const checked = configuration({ publish: { value: "checked", origin: "config.yaml", line: 1 } });
    serve({ ...LAKE, [`${AT}runs/r-1/`]: run({ configuration: checked }), "/api/v1/tasks/r-1/": { id: "r-1", state: "succeeded", result: { merge_id: "m-1" } } });
    renderAt(at);
    expect((await screen.findByRole("link", { name: "the merge that published it" })).getAttribute("href")).toBe("/merges/m-1");
  });

  it("shows the SQL that it ran", async () => {
    serve({ ...LAKE, [`${AT}runs/r-1/`]: run() });
    renderAt(`${at}?tab=sql`);
    expect((await screen.findByRole("region", { name: "Rendered SQL" })).textContent).toBe("SELECT 1 AS one");
  });
});

describe("the history of runs", () => {
  it("is drawn over the runs that ended well, and listed with all", async () => {
    const runs = [run({ id: "c", metrics: { rows_inserted: 5 } }), run({ id: "b", state: "failed", metrics: {}, committed_version: null }), run({ id: "a", committed_version: 12 })];
    serve({ ...LAKE, [`${AT}runs/`]: page(runs) });
    renderAt("/c/demo/pipelines/7?tab=runs");
    const list = await screen.findByRole("list", { name: "Runs" });
    expect(within(list).getAllByRole("listitem")).toHaveLength(3);
    expect(screen.getByRole("img", { name: "Rows written by the last 2 runs: 1,230 at v12, 5 at v17" })).toBeTruthy();
  });

  it("stands as a grid of runs and steps, and a cell opens the run at its step", async () => {
    const step = (name: string, from: number, to: number) => ({ name, detail: "", started: `2026-01-02T00:00:0${from}Z`, finished: `2026-01-02T00:00:0${to}Z` });
    const failed = run({ id: "b", state: "failed", steps: [step("render", 1, 2), step("execute", 2, 4)], committed_version: null, metrics: {} });
    const done = run({ id: "a", steps: [step("render", 1, 2), step("execute", 2, 3), step("write", 3, 4)] });
    serve({ ...LAKE, [`${AT}runs/`]: page([failed, done]), [`${AT}runs/b/`]: failed });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/pipelines/7?tab=runs");
    const grid = await screen.findByRole("grid", { name: "Runs and their steps" });
    expect(within(grid).getAllByRole("rowheader").map((head) => head.textContent)).toEqual(["time up to 3.0 s", "render", "execute", "write"]);
    const cells = within(grid).getAllByRole("link");
    expect(cells.filter((cell) => cell.tabIndex === 0)).toHaveLength(1);
    expect(cells.map((cell) => cell.getAttribute("aria-label")?.replace(/,? ?[Rr]un of [^,]*2026, [^,]*/, ""))).toEqual([
      ", succeeded, 3.0 s, 1,200 rows inserted, 30 rows updated", ", failed, 3.0 s, no rows written",
      "render, succeeded, 1.0 s", "render, succeeded, 1.0 s",
      "execute, succeeded, 1.0 s", "execute, failed, 2.0 s",
      "write, succeeded, 1.0 s", "write, not reached",
    ]);
    cells[7]?.focus();
    await user.keyboard("{ArrowUp}{Home}{ArrowRight}");
    expect(document.activeElement).toBe(cells[5]);
    expect(screen.getByText(/^execute, failed, 2.0 s/)).toBeTruthy();
    await user.keyboard("{Enter}");
    const asked = await screen.findByText("execute", { selector: "[aria-current=step] strong" });
    expect(asked).toBeTruthy();
    expect(router.state.location.search).toBe("?step=execute");
  });

  it("grows while a run is at work", async () => {
    let looks = 0;
    serve({ ...LAKE, [`${AT}runs/`]: () => json(page([run({ state: looks++ ? "succeeded" : "running" })])) });
    renderAt("/c/demo/pipelines/7?tab=runs");
    expect(await screen.findByRole("link", { name: "Run: running" })).toBeTruthy();
    await waitFor(() => expect(screen.getByRole("link", { name: "Run: succeeded" })).toBeTruthy(), { timeout: 4000 });
  });
});
