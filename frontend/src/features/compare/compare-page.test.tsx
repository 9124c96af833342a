import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { CONFLICT, finding } from "../../testing/findings";
import { rendered, renderAt } from "../../testing/render";
import { comparedObject, COMPARED, COMPARISON, json, problem, serve, type Asked } from "../../testing/server";

const AT = "/api/v1/catalogs/demo/compare/delays...main/";
const ADDRESS = "/c/demo/compare/delays...main";
const OBJECTS = Object.fromEntries(COMPARED.map((object, place) => [`${AT}objects/table/${object.object_id}/`, comparedObject(place)]));

const NEW_ROWS = {
  next: null, base_version: 11, version: 16,
  columns: [["change", "string"], ["row_id", "bigint"], ["carrier", "string"], ["gate", "string"], ["x", "int"]].map(([name, type]) => ({ name, type })),
  rows: [["insert", 8, "UA", null, null], ["insert", 9, "B6", null, null]],
};

describe("comparing two branches", () => {
  let asked: Asked[];
  beforeEach(() => {
    localStorage.clear();
    asked = serve({ [AT]: COMPARISON, ...OBJECTS, [`${AT}objects/table/5/rows/?side=destination&limit=3&change=insert`]: NEW_ROWS });
  });

  /** Opens the page, and on it the rule. */
  async function openRule() {
    renderAt(ADDRESS);
    await userEvent.setup().click(await screen.findByText("Which rule decided this?"));
  }

  it("says in its first line what the merge would bring, and what conflicts", async () => {
    renderAt(ADDRESS);
    expect(await screen.findByText("delays would bring 610 updated rows, 36 new rows and 1 new column to 3 tables of main.")).toBeTruthy();
    expect(screen.getByText("1 table in conflict")).toBeTruthy();
  });

  it("shows the rows of the conflict, then why it is one, and the ways out", async () => {
    renderAt(ADDRESS);
    const reasons = await screen.findByRole("list", { name: "Why it conflicts" });
    expect(reasons.textContent).toBe("main has 2 new rows that the UPDATE of delays did not check.");
    const rows = await screen.findByRole("region", { name: "New rows on main" }, { timeout: 3000 });
    expect(within(rows).getByRole("row", { name: /inserted.*B6/ })).toBeTruthy();
    // The column that the statement names comes first; the one without a value is left out.
    expect(within(rows).getAllByRole("columnheader").map((head) => head.textContent)).toEqual(["Change", "x", "carrier"]);
    expect(asked.some(({ address }) => address.includes("side=destination&limit=3&change=insert"))).toBe(true);
    expect(screen.getByRole("link", { name: "Merge main into delays" }).getAttribute("href")).toBe("/c/demo/compare/main...delays");
    expect(screen.getByRole("link", { name: "Run the UPDATE again on delays" }).getAttribute("href")).toContain("statement=UPDATE");
    expect(screen.queryByRole("grid")).toBeNull();
  });

  it("keeps the rule behind a question, with both statements", async () => {
    await openRule();
    const cell = await screen.findByRole("gridcell", { selected: true });
    expect(within(cell).getByRole("button").getAttribute("aria-label")).toBe("Update × Insert: conflict");
    expect(screen.getByText(/delays updated rows \(version 15\)/)).toBeTruthy();
    expect(screen.getAllByText("UPDATE flights.flights SET x = 1").length).toBeGreaterThan(0);
  });

  it("marks an object as viewed until a branch changes it", async () => {
    const user = userEvent.setup();
    const { unmount } = rendered(ADDRESS);
    await user.click(await screen.findByRole("checkbox", { name: "viewed" }));
    expect(screen.getByRole("option", { name: /flights\.flights/ }).textContent).toMatch(/viewed$/);
    unmount();
    const moved = { ...COMPARISON, results: [{ ...COMPARED[0], newest_version: 17 }, ...COMPARED.slice(1)] };
    serve({ [AT]: moved, ...OBJECTS });
    rendered(ADDRESS);
    expect((await screen.findByRole<HTMLInputElement>("checkbox", { name: "viewed" })).checked).toBe(false);
    await user.keyboard("v");
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "viewed" }).checked).toBe(true);
  });

  it("says beside a verdict what finer settings would say", async () => {
    const finer = [
      { setting: "row", rows: 1, text: "By row: 1 row in conflict." },
      { setting: "cell", rows: 0, text: "By cell this merges." },
    ];
    const clash = finding({
      source_op: "update", dest_op: "update", verdict: "conflict", code: "SAME_FILE_UPDATE_UPDATE",
      message: "Source and target both updated rows of one file.", remedy: "Merge it.", details: { rows: 2, finer },
    });
    serve({ [AT]: COMPARISON, ...OBJECTS, [`${AT}objects/table/5/`]: { ...comparedObject(0), cells: [clash] } });
    renderAt(ADDRESS);
    const said = await screen.findByText("By row: 1 row in conflict.");
    expect(said.closest("p")?.textContent).toBe(
      "By row: 1 row in conflict. By cell this merges. Set merge.conflicts = 'cell' on flights.flights to merge it so.",
    );
    expect(screen.queryByText("finer")).toBeNull();
    const way = screen.getByRole("link", { name: "Set merge.conflicts to cell on main" });
    expect(new URLSearchParams(way.getAttribute("href")?.split("?")[1]).get("statement")).toBe("ALTER TABLE `flights`.`flights` SET TBLPROPERTIES ('merge.conflicts' = 'cell')");
  });

  it("leads to the trash of the target where that dropped the table", async () => {
    const gone = finding({ verdict: "conflict", code: "OBJECT_DROPPED_ON_DEST", remedy: "Undrop it." });
    serve({ [AT]: COMPARISON, ...OBJECTS, [`${AT}objects/table/5/`]: { ...comparedObject(0), cells: [gone] } });
    renderAt(ADDRESS);
    const way = await screen.findByRole("link", { name: "See the trash of main" });
    expect(way.getAttribute("href")).toBe("/c/demo/b/main?tab=trash");
  });

  it("lists what was changed under its database, with counts and marks", async () => {
    renderAt(ADDRESS);
    const list = within(await screen.findByRole("listbox"));
    expect(list.getByText("3 objects, 1 in conflict")).toBeTruthy();
    const options = list.getAllByRole("option").map((option) => option.textContent);
    expect(options[0]).toMatch(/✕conflict: flightsflights\.flights 610 updated rows, 1 new column~610\+1 col/);
    expect(options[1]).toMatch(/⤓note: planesflights\.planes delete/);
  });

  it("does not offer to merge what conflicts", async () => {
    renderAt(ADDRESS);
    const merge = await screen.findByRole<HTMLButtonElement>("button", { name: "Merge" });
    expect(merge.disabled).toBe(true);
  });

  it("moves through the matrix by arrows and opens a cell by Enter", async () => {
    const user = userEvent.setup();
    await openRule();
    const conflict = await screen.findByRole("button", { name: "Update × Insert: conflict" });
    conflict.focus();
    await user.keyboard("{ArrowUp}{Enter}");
    const chosen = screen.getByRole("gridcell", { selected: true });
    expect(within(chosen).getByRole("button").getAttribute("aria-label")).toBe("Columns × Insert: no conflict (checked)");
    expect(document.activeElement).toBe(within(chosen).getByRole("button"));
  });

  it("shows every cell of the rules when asked, and says which were not used", async () => {
    const user = userEvent.setup();
    await openRule();
    await user.click(await screen.findByRole("button", { name: "Show all rules" }));
    expect(screen.getAllByRole("gridcell")).toHaveLength(100);
    expect(screen.getByRole("button", { name: "Update × Update: depends (A3), not used" })).toBeTruthy();
  });

  it("says of a cell which files and columns each side touched there", async () => {
    const user = userEvent.setup();
    const object = comparedObject(0);
    const [update] = object.source_commits;
    const added = { ...update, version: 14, operation: "ADD COLUMN", statement: "ALTER …", files: [], operations: [{ kind: "column", metrics: {}, changed: ["delay_reason"] }] };
    serve({ [AT]: COMPARISON, ...OBJECTS, [`${AT}objects/table/5/`]: { ...object, source_commits: [added, update], dest_commits: [] } });
    await openRule();
    await user.click(await screen.findByText("610 rows, 1 file touched, 1 file written"));
    const files = within(screen.getByRole("list", { name: "Files of v15" })).getAllByRole("listitem");
    expect(files.map((file) => file.textContent)).toEqual(["touched demo/flights/old.parquet", "written demo/flights/new.parquet"]);
    await user.click(screen.getByRole("button", { name: "Columns × Insert: no conflict (checked)" }));
    expect(screen.getByText("delay_reason", { selector: "strong" })).toBeTruthy();
  });

  it("leaves details out that name nothing", async () => {
    const clash = { ...CONFLICT, details: { rows: 2, files: [], emptied_files: 0 } };
    serve({ [AT]: COMPARISON, ...OBJECTS, [`${AT}objects/table/5/`]: { ...comparedObject(0), cells: [clash] } });
    await openRule();
    expect(await screen.findByText("rows", { selector: "dt" })).toBeTruthy();
    expect(screen.queryByText("files", { selector: "dt" })).toBeNull();
    expect(screen.queryByText("emptied files", { selector: "dt" })).toBeNull();
  });

  it("draws a rule of lakeui's own with a dashed edge, and says so when it is opened", async () => {
    const user = userEvent.setup();
    await openRule();
    await user.click(await screen.findByRole("button", { name: "Show all rules" }));
    const own = screen.getByRole("button", { name: "Insert × Compaction: no conflict, not used" });
    expect(own.closest("td")?.dataset.origin).toBe("extension");
    const fromSource = screen.getByRole("button", { name: "Update × Insert: conflict" });
    expect(fromSource.closest("td")?.dataset.origin).not.toBe("extension");
    await user.click(own);
    expect(screen.getByText("This rule is lakeui’s own.")).toBeTruthy();
  });

  it("goes to the next object by j, back by k, and to the next conflict by p", async () => {
    const user = userEvent.setup();
    const router = renderAt(ADDRESS);
    await screen.findByRole("option", { name: /flights\.planes/ });
    await user.keyboard("j");
    await waitFor(() => expect(router.state.location.search).toBe("?object=table%3A7"));
    await user.keyboard("j");
    await waitFor(() => expect(router.state.location.search).toBe("?object=table%3A8"));
    await user.keyboard("k");
    await waitFor(() => expect(router.state.location.search).toBe("?object=table%3A7"));
    await user.keyboard("p");
    await waitFor(() => expect(router.state.location.search).toBe("?object=table%3A5"));
  });

  it("draws only the visible objects of many, and asks for no more before their end is near", async () => {
    const many = Array.from({ length: 200 }, (_, place) => ({ ...COMPARED[2], object_id: 100 + place, name: `flights.t${place}` }));
    const next = `http://localhost${AT}?cursor=abc`;
    asked = serve({ [AT]: { ...COMPARISON, results: many, next }, [`${AT}objects/table/100/`]: comparedObject(2), [`${AT}objects/table/299/`]: comparedObject(2) });
    renderAt(`${ADDRESS}?object=table:299`);
    await screen.findByRole("listbox");
    expect((await screen.findAllByRole("option")).length).toBeLessThan(60);
    expect(asked.filter(({ address }) => address.includes("cursor=abc"))).toHaveLength(0);
  });

  it("asks the server to filter, and keeps the filter in the address", async () => {
    const user = userEvent.setup();
    const router = renderAt(ADDRESS);
    await user.selectOptions(await screen.findByLabelText("Filter by verdict or kind"), "verdict:note");
    await waitFor(() => expect(asked.some(({ address }) => address.includes("verdict=note"))).toBe(true));
    expect(router.state.location.search).toBe("?verdict=note");
    await user.selectOptions(screen.getByLabelText("Filter by verdict or kind"), "kind:table");
    await waitFor(() => expect(asked.some(({ address }) => address.includes("kind=table"))).toBe(true));
    expect(router.state.location.search).toBe("?kind=table");
  });

  it("records a dry run and opens its record", async () => {
    const merge = { merge_id: "m-1", kind: "merge", outcome: "dry run", conflicts: [], notes: [], findings: [], source: "delays", destination: "main", catalog: "demo", fingerprint: "f".repeat(64), digest: "d".repeat(64), time: "2026-01-01T00:00:00Z", actor: "alice", plan: { objects: [] } };
    asked = serve({
      [AT]: COMPARISON,
      ...OBJECTS,
      "/api/v1/sql/": { columns: [], rows: [], row_count: 0, truncated: false, version: null, metrics: {}, merge_id: "m-1" },
      "/api/v1/merges/m-1/": merge,
    });
    const user = userEvent.setup();
    const router = renderAt(ADDRESS);
    await user.click(await screen.findByRole("button", { name: "Dry run" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/merges/m-1"));
    const sent = asked.find(({ method }) => method === "POST");
    expect(sent?.body).toMatchObject({ statement: "MERGE BRANCH `delays` TO `main` DRY RUN", catalog: "demo", branch: "main" });
    expect(await screen.findByText(/This would merge cleanly/)).toBeTruthy();
  });
});

describe("what changes in an object", () => {
  const column = (id: number, name: string) => ({ id, name, type: "int", nullable: true, default: null, comment: null, key_position: null, partition_position: null });
  const file = (path: string) => ({ path, rows: 10, bytes: 2000, schema_version: 15 });
  const changed = {
    ...comparedObject(2),
    columns: [
      { id: 1, base: column(1, "id"), source: column(1, "key"), destination: column(1, "id"), result: column(1, "key"), is_changed: true },
      { id: 2, base: column(2, "gone"), source: column(2, "gone"), destination: null, result: null, is_changed: false },
      { id: 3, base: null, source: column(3, "fresh"), destination: null, result: column(3, "fresh"), is_changed: true },
    ],
    properties: [{ key: "owner", base: "a", source: "b", destination: "a", result: "b", is_changed: true }],
    partitions: { source: [{ before: null, after: { month: "2" } }], destination: [{ before: { month: "1" }, after: null }] },
    files: { brought: [file("new.parquet")], brought_count: 1, removed: [file("old.parquet")], removed_count: 1, delete_files_attached: 1, rewrites: 0 },
    preview: {
      rows_before: 100, rows_after: 110, rows_are_exact: true, files_before: 3, files_after: 3, bytes_before: 5000, bytes_after: 7000,
      schema_changes: true, invisible_schema_versions: [14], discarded_schema_versions: [13],
    },
  };
  const texts = (rows: HTMLElement[]) => rows.slice(1).map((row) => within(row).getAllByRole("cell").map((cell) => cell.textContent));

  beforeEach(() => {
    serve({ [AT]: COMPARISON, ...OBJECTS, [`${AT}objects/table/8/`]: changed });
    renderAt(`${ADDRESS}?object=table:8`);
  });

  it("is previewed: final schema, rows before and after, new files, schema versions kept hidden and discarded", async () => {
    await userEvent.setup().click(await screen.findByRole("tab", { name: "Result" }));
    const panel = await screen.findByRole("tabpanel");
    expect(panel.textContent).toMatch(/rows, was 100110.*files, unchanged3.*size, was 5.00 kB7.00 kB.*new files1/);
    expect(panel.textContent).toMatch(/gets a new version: key, fresh.*Old schemas kept for old filesschema v14.*Droppedschema v13/);
  });

  it("stands side by side: columns by their id, properties, partitions, files", async () => {
    const user = userEvent.setup();
    await user.click(await screen.findByRole("tab", { name: /^Schema/ }));
    expect(texts(within(screen.getByRole("region", { name: "Columns side by side" })).getAllByRole("row"))).toEqual([
      ["id int", "key int", "id int", "key int"],
      ["gone int", "gone int", "dropped", "—"],
      ["—", "fresh int", "—", "fresh int"],
    ]);
    await user.click(screen.getByRole("tab", { name: /^Properties/ }));
    expect(texts(within(screen.getByRole("region", { name: "Properties side by side" })).getAllByRole("row"))).toEqual([["a", "b", "a", "b"]]);
    await user.click(screen.getByRole("tab", { name: /^Partitions/ }));
    const lines = within(screen.getByRole("tabpanel")).getAllByRole("listitem").map((line) => line.textContent);
    expect(lines).toEqual(["delays: nothing → month=2", "main: month=1 → dropped"]);
    await user.click(screen.getByRole("tab", { name: /^Files/ }));
    const files = within(screen.getByRole("region", { name: "Files" })).getAllByRole("rowheader").map((header) => header.parentElement?.textContent);
    expect(files).toEqual(["broughtnew.parquet10v152.00 kB", "removedold.parquet10v152.00 kB"]);
  });
});

describe("the rows of an object", () => {
  const columns = [["change", "string"], ["row_id", "bigint"], ["carrier", "string"], ["origin", "string"], ["dest", "string"], ["tail", "string"], ["delay_reason", "string"]].map(([name, type]) => ({ name, type }));
  const updated = (id: number) => [
    ["update_before", id, "UA", "EWR", "IAH", "N1", null],
    ["update_after", id, "UA", "EWR", "IAH", "N1", "late aircraft"],
  ];
  const rowsAt = (id: number) => `${AT}objects/table/${id}/rows/`;
  const clashing = {
    next: null, source_head: 15, destination_head: 16,
    columns: ["flight", "carrier"].map((name, place) => ({ id: place + 1, name, type: "string", is_key: place === 0 })),
    rows: [{ key: '{"flight":"F1"}', is_conflict: true, is_open: true, source_change: "update", dest_change: "update", base: ["F1", "UA"], source: ["F1", "AA"], destination: ["F1", "DL"] }],
  };
  const more = `${rowsAt(5)}?side=source&limit=100&cursor=abc`;

  it("stand side by side, with the columns that show which row it is and what changed, until all are asked for", async () => {
    const asked = serve({
      [AT]: COMPARISON, ...OBJECTS,
      [`${rowsAt(5)}?side=source&limit=100`]: { next: `http://localhost${more}`, base_version: 11, version: 15, columns, rows: updated(7) },
      [`${rowsAt(5)}?side=destination&limit=100`]: { next: null, base_version: 11, version: 16, columns: columns.slice(0, 3), rows: [["delete", 7, "UA"]] },
      [`${rowsAt(5)}sides/?only=conflicts&limit=50`]: clashing,
      [more]: { next: null, base_version: 11, version: 15, columns, rows: updated(8) },
    });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    const mine = await screen.findByRole("region", { name: "Rows that delays changed" });
    expect(within(mine).getAllByRole("columnheader").map((header) => header.textContent)).toEqual(["Change", "Row id", "carrier", "origin", "dest", "delay_reason"]);
    expect(await within(mine).findByText("main too")).toBeTruthy();
    const theirs = screen.getByRole("region", { name: "Rows that main changed" });
    expect(within(theirs).getByRole("row", { name: /deleted.*delays too.*7.*UA/ })).toBeTruthy();
    await user.click(screen.getByLabelText("all 5 columns"));
    expect(within(mine).getAllByRole("columnheader")).toHaveLength(7);
    await user.click(screen.getByRole("button", { name: "More rows" }));
    expect(await screen.findByText(/2 updated rows shown/)).toBeTruthy();
    expect(asked.filter(({ address }) => address.includes("/rows/?"))).toHaveLength(4);
  });

  it("that violate a constraint stand under the reason, the first of them, with the way to all", async () => {
    const details = { constraint: "cheap", condition: "`dep_delay` < 100", side: "source", rows: 7, example: '{"dep_delay":331}', examples: ['{"dep_delay":331}', '{"dep_delay":400}'] };
    const violated = finding({ verdict: "conflict", code: "CHECK_VIOLATED", source_op: "insert", dest_op: "properties", details });
    serve({ [AT]: COMPARISON, ...OBJECTS, [`${AT}objects/table/5/`]: { ...comparedObject(0), cells: [violated] } });
    renderAt(ADDRESS);
    const rows = within(await screen.findByRole("region", { name: "Rows that violate the constraint" }));
    expect(rows.getAllByRole("row").map((row) => row.textContent)).toEqual(["dep_delay", "331", "400"]);
    expect(screen.getByText("The first 2 of 7 rows.")).toBeTruthy();
    expect(screen.getByRole("link", { name: "See these rows of delays" })).toBeTruthy();
  });

  it("in conflict stand first, three of them until all are asked for, with what comes out", async () => {
    const rows = [1, 2, 3, 4].map((number) => ({ ...clashing.rows[0], key: `{"flight":"F${number}"}` }));
    const clash = finding({ verdict: "conflict", code: "PRIMARY_KEY_CLASH", rule_table: "keyed", source_op: "update", dest_op: "update", details: { rows: 4 } });
    serve({
      [AT]: COMPARISON, ...OBJECTS,
      [`${AT}objects/table/5/`]: { ...comparedObject(0), rule_table: "keyed", cells: [clash] },
      [`${rowsAt(5)}sides/?only=conflicts&limit=50`]: { ...clashing, rows },
    });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    expect(await screen.findByText("Both branches changed 4 rows, and differently.")).toBeTruthy();
    const conflicts = await screen.findByRole("region", { name: "Rows that conflict" });
    expect(within(conflicts).getAllByRole("row", { name: /delays F1 AA in conflict/ })).toHaveLength(3);
    expect(within(conflicts).getAllByRole("row", { name: /main F1 DL in conflict/ })).toHaveLength(3);
    expect(within(conflicts).getAllByRole("row", { name: "result to decide" })).toHaveLength(3);
    expect(screen.getByText(/3 rows shown, 4 to decide/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Show all 4 rows in conflict" }));
    expect(within(conflicts).getAllByRole("row", { name: "result to decide" })).toHaveLength(4);
  });

  it("are counted as the first line counts them, before all are read", async () => {
    const rows = Array.from({ length: 50 }, (_, place) => ({ ...clashing.rows[0], key: `{"flight":"F${place}"}` }));
    const clash = (rows: number, dest_op: string) =>
      finding({ verdict: "conflict", code: "PRIMARY_KEY_CLASH", rule_table: "keyed", source_op: "update", dest_op, details: { rows } });
    serve({
      [AT]: COMPARISON, ...OBJECTS,
      [`${AT}objects/table/5/`]: { ...comparedObject(0), rule_table: "keyed", cells: [clash(9_990, "update"), clash(10, "delete")] },
      [`${rowsAt(5)}sides/?only=conflicts&limit=50`]: { ...clashing, rows, next: `${rowsAt(5)}sides/?cursor=50` },
    });
    renderAt(ADDRESS);
    expect(await screen.findByText(/3 rows shown, 10,000 to decide/)).toBeTruthy();
  });

  it("are not asked for where a side changed none", async () => {
    const asked = serve({ [AT]: COMPARISON, ...OBJECTS, [`${rowsAt(8)}?side=source&limit=100`]: { next: null, base_version: 11, version: 15, columns, rows: updated(7) } });
    renderAt(`${ADDRESS}?object=table:8`);
    expect(await screen.findByText("No row changed since the branches split (v11).")).toBeTruthy();
    await screen.findByRole("region", { name: "Rows that delays changed" });
    expect(asked.some(({ address }) => address.includes("side=destination"))).toBe(false);
  });
});

describe("merging", () => {
  const clean = { ...COMPARISON, mergeable: true, counts: { ...COMPARISON.counts, conflict: 0, conflicts: 0 }, results: COMPARED.slice(2) };
  const task = { id: "t-1", kind: "sql", state: "queued", parameters: { statement: "MERGE BRANCH `delays` TO `main`" }, steps: [], progress: 0, message: "", created_at: "2026-01-01T00:00:00Z", cancel_requested: false, result: null, error: null };

  it("asks once more, starts a task that cannot happen twice, and shows it", async () => {
    const asked = serve({ [AT]: clean, ...OBJECTS, "/api/v1/sql/": () => json(task, 202), "/api/v1/tasks/t-1/": task });
    const user = userEvent.setup();
    const router = renderAt(ADDRESS);
    await user.click(await screen.findByRole("button", { name: "Merge" }));
    await user.type(screen.getByLabelText("Message for the history (optional)"), "late data");
    await user.click(screen.getByRole("button", { name: "Merge into main" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/t-1"));
    const sent = asked.find(({ method }) => method === "POST");
    expect(sent?.body).toMatchObject({ statement: "MERGE BRANCH `delays` TO `main` COMMIT MESSAGE 'late data'" });
    expect(sent?.headers.get("Prefer")).toBe("respond-async");
    expect(sent?.headers.get("Idempotency-Key")).toMatch(/^[0-9a-f]{32}$/);
    expect(await screen.findByText("waits for a free worker")).toBeTruthy();
  });

  it("stays in the dialog and says why when the server refuses", async () => {
    serve({ [AT]: clean, ...OBJECTS, "/api/v1/sql/": () => problem(403, { code: "PERMISSION_DENIED", title: "Permission denied", detail: "You may not merge into main." }) });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("button", { name: "Merge" }));
    await user.click(screen.getByRole("button", { name: "Merge into main" }));
    expect((await within(screen.getByRole("dialog")).findByRole("alert")).textContent).toContain("You may not merge into main.");
  });
});

describe("a comparison that cannot be made", () => {
  it("says what is missing and what to do", async () => {
    serve({ [AT]: () => problem(404, { code: "NOT_FOUND", title: "Not found", detail: "There is no branch delays.", remedy: "Did you mean delay?" }) });
    renderAt(ADDRESS);
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("There is no branch delays.");
    expect(alert.textContent).toContain("Did you mean delay?");
  });

  it("shows an id for the log when the server failed", async () => {
    serve({ [AT]: () => problem(500, { code: "INTERNAL_ERROR", title: "Internal error", detail: "Something failed.", error_id: "abc123" }) });
    renderAt(ADDRESS);
    expect((await screen.findByRole("alert")).textContent).toContain("abc123");
  });

  it("leads to signing in when the session has ended", async () => {
    serve({ [AT]: () => problem(401, { code: "UNAUTHENTICATED", title: "Not signed in", detail: "Sign in." }) });
    renderAt(ADDRESS);
    expect((await screen.findByRole("link", { name: "Sign in again" })).getAttribute("href")).toMatch(/^\/login\/\?next=/);
  });
});
