import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";

import * as files from "../../model/export";
import { CONFLICT, FINE, finding } from "../../testing/findings";
import { renderAt } from "../../testing/render";
import { COMPARISON, json, serve } from "../../testing/server";

const AT = "/api/v1/merges/m-1/";
const NOTES = [
  finding({ verdict: "note", code: "DISCARDED_UPDATE", message: "What the source did is discarded (2 rows).", details: { rows: 2, files: [3], emptied_files: 0 } }),
  finding({ verdict: "note", code: "DISCARDED_DELETE", message: "What the source did is discarded (1 whole file).", details: { rows: 0, files: [4], emptied_files: 1 } }),
];
const TABLE = {
  table: "flights.flights", table_id: 5, action: "alter", visible_schema_versions: [20], invisible_schema_versions: [14, 15],
  discarded_schema_versions: [13], new_segment_count: 2, new_rows: 612, new_bytes: 4096, new_segments: [], removed_segments: ["a", "b", "c"],
  kept_updated_rows: 4,
};
const MERGED = {
  merge_id: "m-1", kind: "merge", outcome: "merged", catalog: "demo", source: "delays", destination: "main", version: 20, source_head: 15,
  destination_head: 16, merge_base: 11, fingerprint: "f".repeat(64), digest: "d".repeat(64), actor: "alice", task_id: "t-1", time: "2026-01-01T00:00:00Z",
  findings: [FINE, ...NOTES], conflicts: [], notes: NOTES, tables: [TABLE], duration_ms: 1234, plan: { objects: [] },
};
const TASK = {
  id: "t-1", kind: "sql", state: "succeeded", progress: 1, message: "", parameters: {}, result: { merge_id: "m-1" }, error: null, attempts: 1,
  steps: [
    { name: "plan", detail: "compare both branches", started: "2026-01-01T00:00:00Z", finished: "2026-01-01T00:00:02Z" },
    { name: "commit", detail: "", started: "2026-01-01T00:00:02Z", finished: "2026-01-01T00:00:05Z" },
  ],
  created_at: "2026-01-01T00:00:00Z", started_at: "2026-01-01T00:00:00Z", finished_at: "2026-01-01T00:00:05Z",
};

function textOf(content: Blob = new Blob()): Promise<string> {
  return new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result as string);
    reader.readAsText(content);
  });
}

describe("the audit page of a merge", () => {
  afterEach(() => vi.restoreAllMocks());

  it("says of each table what was stored, kept, discarded and left behind", async () => {
    serve({ [AT]: MERGED });
    renderAt("/merges/m-1");
    const stored = within(await screen.findByRole("region", { name: "Result" }));
    const titles = stored.getAllByRole("columnheader").map((header) => header.textContent);
    const cells = within(stored.getByRole("row", { name: /^flights\.flights/ })).getAllByRole("cell").map((cell) => cell.textContent);
    const row = Object.fromEntries(titles.slice(1).map((title, place) => [title, cells[place]]));
    expect(row).toEqual({
      Done: "changed", "New files": "2", "Rows in them": "612", "Removed files": "3", "Discarded updates": "2", "Discarded deletes": "4 rows, 1 file",
      "Visible schema": "v20", "Hidden schemas": "v14, v15", "Discarded schemas": "v13",
    });
    expect(screen.getByText("What the source did is discarded (2 rows).")).toBeTruthy();
  });

  it("says what its record has where no task is left", async () => {
    serve({ [AT]: { ...MERGED, task_id: null } });
    renderAt("/merges/m-1");
    expect((await screen.findByText("took")).nextElementSibling?.textContent).toBe("1.2 s");
  });

  it("has no column for what no table has", async () => {
    const bare = { ...TABLE, removed_segments: [], kept_updated_rows: 0, discarded_schema_versions: [], invisible_schema_versions: [] };
    serve({ [AT]: { ...MERGED, notes: [], tables: [bare] } });
    renderAt("/merges/m-1");
    const stored = within(await screen.findByRole("region", { name: "Result" }));
    const titles = stored.getAllByRole("columnheader").map((header) => header.textContent);
    expect(titles).toEqual(["Table", "Done", "New files", "Rows in them", "Visible schema"]);
  });

  it("says in words what a decision left out, and shows no code", async () => {
    const left = finding({ verdict: "note", code: "DISCARDED_BY_DECISION", message: "On flights.flights, by a decision: Keeps delays; leaves out 1 row of main.", remedy: "Remove the decision." });
    serve({ [AT]: { ...MERGED, notes: [left], findings: [FINE, left] } });
    renderAt("/merges/m-1");
    expect(await screen.findByText("What a person decided leaves out changes of delays or main")).toBeTruthy();
    expect(screen.getByText("left out by a decision")).toBeTruthy();
    expect(document.body.textContent).not.toMatch(/[A-Z]{3,}_[A-Z]{2,}/);
  });

  it("says why a revert writes no version where the merge brought nothing", async () => {
    const answer = { columns: [], rows: [], row_count: 0, truncated: false, metrics: {}, outcome: "nothing to do", version: 20 };
    serve({ [AT]: MERGED, "POST /api/v1/sql/": () => json(answer) });
    const user = userEvent.setup();
    const router = renderAt("/merges/m-1");
    await user.click(await screen.findByRole("button", { name: "Revert" }));
    const dialog = within(screen.getByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Revert" }));
    expect((await dialog.findByRole("status")).textContent).toContain("main holds nothing of what this merge brought.");
    await user.click(dialog.getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(router.state.location.pathname).toBe("/merges/m-1");
  });

  it("says that the merge was reverted, and offers that no more", async () => {
    serve({ [AT]: { ...MERGED, undone_by: { audit_id: "r-1", version: 21, actor: "dora", time: "2026-01-02T00:00:00Z" } } });
    renderAt("/merges/m-1");
    expect((await screen.findByRole("link", { name: "version v21" })).getAttribute("href")).toBe("/merges/r-1");
    expect(screen.getByText(/Another merge of delays brings nothing of it/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Revert" })).toBeNull();
  });

  it("asks again for a record, as reverts change it", async () => {
    const record: Record<string, unknown> = { ...MERGED };
    serve({ [AT]: () => json(record) });
    const router = renderAt("/merges/m-1", { staleTime: 60_000 });
    await screen.findByRole("button", { name: "Revert" });
    await act(() => router.navigate("/nowhere"));
    record.undone_by = { audit_id: "r-1", version: 21, actor: "dora", time: "2026-01-02T00:00:00Z" };
    await act(() => router.navigate("/merges/m-1"));
    await screen.findByRole("link", { name: "version v21" });
    expect(screen.queryByRole("button", { name: "Revert" })).toBeNull();
  });

  it("says of a refused one why, and three ways out", async () => {
    serve({ [AT]: { ...MERGED, outcome: "refused", version: null, findings: [CONFLICT], conflicts: [CONFLICT], notes: [], tables: [] } });
    renderAt("/merges/m-1");
    expect(await screen.findByText("1 conflict refused this merge. Neither branch was changed.")).toBeTruthy();
    expect(screen.getAllByText(CONFLICT.message).length).toBeGreaterThan(0);
    const addressOf = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
    expect(addressOf("Merge main into delays")).toBe("/c/demo/compare/main...delays");
    expect(addressOf("Open a merge request")).toBe("/c/demo/requests/new?source=delays&destination=main");
    expect(addressOf("Change delays with SQL")).toMatch(/^\/c\/demo\/sql\?branch=delays/);
  });

  it("offers a refused one again where nothing is in its way any more", async () => {
    const asked = serve({
      [AT]: { ...MERGED, outcome: "refused", version: null, findings: [CONFLICT], conflicts: [CONFLICT], notes: [], tables: [] },
      "/api/v1/catalogs/demo/compare/delays...main/": { ...COMPARISON, mergeable: true },
      "POST /api/v1/sql/": () => json({ id: "t-9" }, 202),
    });
    const user = userEvent.setup();
    renderAt("/merges/m-1");
    await user.click(await screen.findByRole("button", { name: "Merge again" }));
    await user.click(screen.getByRole("button", { name: "Merge into main" }));
    await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ statement: "MERGE BRANCH `delays` TO `main`" }));
  });

  it.each([{ mergeable: false }, { mergeable: true, is_empty: true }])("does not offer it where it would not help", async (now) => {
    serve({
      [AT]: { ...MERGED, outcome: "refused", version: null, findings: [CONFLICT], conflicts: [CONFLICT], notes: [], tables: [] },
      "/api/v1/catalogs/demo/compare/delays...main/": { ...COMPARISON, ...now },
    });
    renderAt("/merges/m-1");
    await screen.findByRole("link", { name: "Compare now" });
    expect(screen.queryByRole("button", { name: "Merge again" })).toBeNull();
  });

  it("leads from a refused merge of a request to the request", async () => {
    const request = { number: 3, title: "Promo", author: "alice" };
    serve({ [AT]: { ...MERGED, request, outcome: "refused", version: null, findings: [CONFLICT], conflicts: [CONFLICT], notes: [], tables: [] } });
    renderAt("/merges/m-1");
    expect((await screen.findByRole("link", { name: "Merge request #3" })).getAttribute("href")).toBe("/c/demo/requests/3");
  });

  it("shows what people decided apart from what was no conflict, by names", async () => {
    const made = {
      resolution: 8, author: "carol", object_kind: "table", object_id: 5, part: "cell", part_key: '4:{"id":1}', decision: "edited", name: "",
      value: '"gold"', object: "sales.customers", column: "tier", effect: "Row id 1: keeps \"gold\" instead of both.",
    };
    const decided = { ...CONFLICT, verdict: "decided" as const };
    serve({ [AT]: { ...MERGED, task_id: null, findings: [decided, ...MERGED.findings], resolutions: [made] } });
    renderAt("/merges/m-1");
    expect(await screen.findByText("Decided by a person (1)")).toBeTruthy();
    expect(screen.getByText(/sales.customers, column tier, row id = 1: keeps "gold"/)).toBeTruthy();
    expect(document.body.textContent).not.toContain("[object Object]");
  });

  it("says how long it took, step by step", async () => {
    serve({ [AT]: MERGED, "/api/v1/tasks/t-1/": TASK });
    renderAt("/merges/m-1");
    const steps = within(await screen.findByRole("list", { name: "Steps" })).getAllByRole("listitem");
    expect(steps.map((step) => step.textContent)).toEqual(["✓plan compare both branches2.0 s", "✓commit 3.0 s"]);
    expect(screen.getByRole("link", { name: "Its task" }).getAttribute("href")).toBe("/tasks/t-1");
    expect(screen.getByText("took").nextElementSibling?.textContent).toBe("5.0 s");
  });

  it("says so without its task, which may be gone", async () => {
    serve({ [AT]: MERGED });
    renderAt("/merges/m-1");
    await screen.findByRole("region", { name: "Result" });
    expect(screen.queryByRole("heading", { name: "Timings" })).toBeNull();
  });

  it("goes into a file as a whole, or its verdicts as a table", async () => {
    const saved: { name: string; content: Blob }[] = [];
    vi.spyOn(files, "fileSave").mockImplementation((name, content) => void saved.push({ name, content }));
    const record = { ...MERGED, outcome: "refused", version: null, task_id: null, conflicts: [CONFLICT], findings: [CONFLICT, ...MERGED.findings] };
    serve({ [AT]: record });
    const user = userEvent.setup();
    renderAt("/merges/m-1");
    await user.click(await screen.findByLabelText("Export"));
    await user.click(screen.getByRole("button", { name: "Whole record (JSON)" }));
    await user.click(screen.getByRole("button", { name: "Verdicts (CSV)" }));
    expect(saved.map(({ name }) => name)).toEqual(["merge-m-1.json", "merge-m-1.csv"]);
    expect(JSON.parse(await textOf(saved[0]?.content))).toEqual(record);
    const lines = (await textOf(saved[1]?.content)).split("\r\n");
    expect(lines[0]).toBe("object,kind,source_op,dest_op,verdict,code,note,message,remedy");
    expect(lines[1]).toMatch(/^flights\.flights,table,update,insert,conflict,PREDICATE_DML_VS_INSERT,,/);
    expect(lines).toHaveLength(record.findings.length + 2);
  });
});
