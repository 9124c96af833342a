import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { page, serve, type Asked } from "../../testing/server";

const AT = "/api/v1/catalogs/demo/branches/main/databases/flights/tables/seen/";
const ADDRESS = "/c/demo/b/main/t/flights/seen";
const time = "2026-01-01T00:00:00Z";
const plain = { nullable: true, default: null, comment: null, key_position: null, partition_position: null };
const COLUMNS = [
  { ...plain, id: 1, name: "tail", type: "string", nullable: false, key_position: 0 },
  { ...plain, id: 4, name: "seen", type: "int", default: "0", comment: "how often" },
  { ...plain, id: 2, name: "month", type: "int", partition_position: 0 },
];
const SEEN = {
  name: "seen", table_id: 9, columns: COLUMNS, partition_by: ["month"], partitions: 3, primary_key: ["tail"], properties: { owner: "alice" }, constraints: { positive: "`dep_delay` > 0" }, rows: 1200,
  bytes: 4096, files: 2, deleted_rows: 5, delete_files: 1, schema_version: 12, version: 16, head_version: 16, comment: "", sort_by: [],
};
const commit = (version: number, operation: string) => ({
  version, operation, branch: "main", author: "alice", time, statement: `${operation} …`, task_id: null, merge_parent: null, pipeline: "", rows_changed: 2,
  operations: [{ kind: "insert", object: "flights.seen", metrics: { rows_inserted: 2 } }], operation_count: 1,
});
const HISTORY = [commit(16, "UPDATE"), commit(14, "INSERT"), commit(12, "CREATE TABLE")];
const SEGMENT = { segment_id: 1, path: "demo/a.parquet", rows: 1000, bytes: 4000, schema_version: 12, deleted_rows: 5, is_visible: true, added_version: 14 };
const BOUNDS = {
  version: 16, rows: 1205, deleted_rows: 5,
  columns: [
    { column_id: 1, name: "tail", type: "string", nulls: 0, minimum: "N1", maximum: "N9", is_exact: false },
    { column_id: 4, name: "seen", type: "int", nulls: 241, minimum: -2, maximum: 90, is_exact: false },
    { column_id: 2, name: "month", type: "int", nulls: null, minimum: null, maximum: null, is_exact: false },
  ],
};
const COMPACTION = { version: 16, files: 8, chosen_files: 5, chosen_bytes: 12000, deletes: 1, publishing: 0, layout: 0, small: 4, files_after: 4 };
const LAKE = {
  [`${AT}compaction/`]: COMPACTION,
  [`${AT}profile/`]: BOUNDS,
  [AT]: SEEN,
  [`${AT}?version=14`]: { ...SEEN, version: 14, rows: 600 },
  [`${AT}history/`]: page(HISTORY),
  [`${AT}versions/`]: {
    version: 16, total: 2,
    results: [
      { version: 14, operation: "INSERT", time, rows: 600, bytes: 2048, files: 1 },
      { version: 16, operation: "UPDATE", time, rows: 1200, bytes: 4096, files: 2 },
    ],
  },
  [`${AT}segments/`]: page([SEGMENT, { ...SEGMENT, segment_id: 2, path: "demo/b.parquet", is_visible: false, schema_version: 8, deleted_rows: 0 }]),
  [`${AT}schemas/`]: {
    visible: [{ version: 12, columns: COLUMNS, is_current: true, operation: "ADD COLUMN", branch: "main", time }],
    invisible: [{ version: 8, columns: COLUMNS.slice(0, 2), segments: 1, added_version: 14 }],
    discarded: [{ version: 6, columns: COLUMNS.slice(0, 1), merge_id: "m-1", merged_version: 14, source: "delays" }],
  },
  [`${AT}changes/`]: {
    columns: [["change", "string"], ["row_id", "bigint"], ["tail", "string"], ["seen", "int"]].map(([name, type]) => ({ name, type })),
    rows: [["update_before", 7, "N1", 1], ["update_after", 7, "N1", 2]], row_count: 2, truncated: false, version: 16, metrics: {},
  },
};

describe("a table", () => {
  let asked: Asked[];
  beforeEach(() => {
    asked = serve(LAKE);
  });

  it("says from whom its rows or columns are hidden", async () => {
    const hidden = { id: 1, table: "flights.seen", table_id: 9, row_filter: "true", masks: {}, created_at: time, created_by: "alice" };
    const found = page([{ ...hidden, role: "contributor", group: null }, { ...hidden, id: 2, role: null, group: "interns" }]);
    serve({ ...LAKE, "/api/v1/catalogs/demo/restrictions/": found });
    renderAt(ADDRESS);
    expect(await screen.findByText("Rows or columns are hidden from role contributor and below, group interns.")).toBeTruthy();
  });

  const cells = (row: HTMLElement) => within(row).getAllByRole("cell").map((cell) => cell.textContent);

  it("has a profile from the statistics of the files, and counts all rows when it is asked", async () => {
    const bins = [{ at: 1, count: 900 }, { at: 80, count: 60 }];
    const counted = [["seen", "int", 1200, 240, 7, "-2", "88", bins, [{ value: "1", count: 600 }]], ["month", "int", 1200, 0, 12, "1", "12", [], []]];
    const answer = { columns: [], rows: counted, row_count: 2, truncated: false, version: 16, metrics: {} };
    asked = serve({ ...LAKE, "POST /api/v1/sql/": answer });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=profile`);
    const profile = within(await screen.findByRole("region", { name: "Profile of seen" }));
    const of = (name: RegExp) => cells(profile.getByRole("row", { name }));
    expect(of(/^seen/)).toEqual(["≤ 241 (20%)", "-2", "90"]);
    expect(profile.queryByRole("columnheader", { name: "Most frequent" })).toBeNull();
    expect(of(/^month/)).toEqual(["—not known", "—not known", "—not known"]);
    expect(asked.some(({ method }) => method === "POST")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Count all rows" }));
    await waitFor(() => expect(of(/^seen/)).toEqual(["240 (20%)", "7", "-2", "88", "around 1: 900 valuesaround 80: 60 values", "1 600 (50%)"]));
    expect(profile.getByRole("img", { name: "seen: most values lie around 1, between 1 and 80" })).toBeTruthy();
    const sent = asked.find(({ method }) => method === "POST")?.body as { statement: string; branch: string };
    expect(sent.branch).toBe("main");
    expect(sent.statement).toMatch(/^SHOW PROFILE `flights`\.`seen` VERSION AS OF 16$/);
  });

  it("has columns with id, type, nullability, default, comment and part in the key, and its sizes with units", async () => {
    renderAt(ADDRESS);
    const table = within(await screen.findByRole("region", { name: "Columns of seen" }));
    expect(cells(table.getByRole("row", { name: /tail/ }))).toEqual(["1", "string", "not null", "—", "—"]);
    expect(cells(table.getByRole("row", { name: /seen/ }))).toEqual(["4", "int", "nullable", "0", "how often"]);
    expect(table.getByRole("rowheader", { name: "tail key" })).toBeTruthy();
    expect(table.getByRole("rowheader", { name: "month partition" })).toBeTruthy();
    expect(within(screen.getByRole("region", { name: "Constraints of seen" })).getByText("positive").nextElementSibling?.textContent).toBe("CHECK (`dep_delay` > 0)");
    for (const fact of ["1,200 rows", "2 files", "1 delete file for 5 old rows", "3 partitions by month", "key tail"]) {
      expect(screen.getByText(fact)).toBeTruthy();
    }
  });

  it("says its id where it can be copied", async () => {
    renderAt(`${ADDRESS}?tab=properties`);
    const id = (await screen.findByText("Table id")).nextElementSibling;
    expect(id?.querySelector("code")?.textContent).toBe("9");
    expect(screen.getByRole("button", { name: "Copy the table's id" })).toBeTruthy();
  });

  it("is seen at any of its versions by the slider, says so, and goes back to the head", async () => {
    const user = userEvent.setup();
    const router = renderAt(ADDRESS);
    const slider = await screen.findByRole("slider");
    expect(slider.getAttribute("aria-valuetext")).toBe("version 16, UPDATE");
    slider.focus();
    // jsdom moves no slider by keys.
    fireEvent.change(slider, { target: { value: "1" } });
    await waitFor(() => expect(router.state.location.search).toBe("?version=14"));
    expect(await screen.findByText(/You are looking at version 14/)).toBeTruthy();
    expect(await screen.findByText("600 rows")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Restore this version" }));
    expect(within(screen.getByRole("dialog")).getByText(/^RESTORE TABLE `flights`\.`\w+` TO VERSION AS OF 14$/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    await user.click(screen.getByRole("button", { name: "Branch from here" }));
    expect(within(screen.getByRole("dialog")).getByText(/^Starts at version 14 of/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    await user.click(screen.getByRole("button", { name: "Back to head" }));
    expect(await screen.findByText("1,200 rows")).toBeTruthy();
  });

  it("lists its files with rows, bytes, schema version, and whether that is visible", async () => {
    renderAt(`${ADDRESS}?tab=segments`);
    const table = within(await screen.findByRole("region", { name: "Files" }));
    const rows = table.getAllByRole("row").slice(1).map((row) => cells(row).filter((text) => text !== ""));
    expect(rows).toEqual([
      ["demo/a.parquet", "1,000", "v12", "4.00 kB", "5", "visible", "v14"],
      ["demo/b.parquet", "1,000", "v8", "4.00 kB", "—", "hidden", "v14"],
    ]);
  });

  it("says which files OPTIMIZE would rewrite and why, and one press runs it as a task", async () => {
    const task = { id: "t-9", state: "queued" };
    asked = serve({ ...LAKE, "/api/v1/catalogs/demo/": { name: "demo", role: "owner" }, "POST /api/v1/sql/": task });
    const user = userEvent.setup();
    const router = renderAt(`${ADDRESS}?tab=segments`);
    expect(await screen.findByText("OPTIMIZE would rewrite 5 of 8 files, 12.0 kB. The table then has about 4 files.")).toBeTruthy();
    expect(screen.getByText(/^4 files are small, 1 file has deleted rows\. No row changes\./)).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: "Optimize" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/t-9"));
    const sent = asked.filter(({ method }) => method === "POST");
    expect(sent.map(({ body }) => (body as { statement: string }).statement)).toEqual(["OPTIMIZE `flights`.`seen`"]);
    expect(sent[0]?.headers.get("Prefer")).toBe("respond-async");
  });

  it("offers no rewrite where no file needs it, nor at an old version", async () => {
    serve({ ...LAKE, [`${AT}compaction/`]: { ...COMPACTION, chosen_files: 0 } });
    renderAt(`${ADDRESS}?tab=segments`);
    expect(await screen.findByText("No file needs OPTIMIZE.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Optimize" })).toBeNull();
    cleanup();
    asked = serve({ ...LAKE, [`${AT}segments/?limit=200&version=14`]: page([SEGMENT]) });
    renderAt(`${ADDRESS}?tab=segments&version=14`);
    await screen.findByRole("region", { name: "Files" });
    expect(asked.some(({ address }) => address.includes("compaction"))).toBe(false);
  });

  it("says where rows came from and went, with links, in a picture and in a list", async () => {
    const node = (kind: string, id: number, object: string) => ({
      node: `${kind}:${id}`, kind, id, name: kind === "pipeline" ? object : `flights.${object}`, database: "flights", object, is_dropped: object === "gone",
    });
    const edge = (origin: string, target: string, version: number | null) => ({ origin, target, version, statements: version === null ? 0 : 3 });
    const lineage = {
      version: 16, node: "table:9", hidden_tables: 1, is_cut: true,
      nodes: [node("table", 9, "seen"), node("table", 1, "flights"), node("table", 2, "gone"), node("pipeline", 7, "last_seen"), node("view", 3, "late")],
      edges: [edge("table:1", "pipeline:7", 15), edge("pipeline:7", "table:9", 15), edge("table:2", "table:9", 15), edge("table:9", "view:3", null)],
      commits: [{ version: 15, branch: "main", time: "2026-11-25T10:00:00Z", operation: "MERGE", author: "admin" }],
    };
    serve({ ...LAKE, [`${AT}lineage/`]: lineage });
    renderAt(`${ADDRESS}?tab=lineage`);
    const list = within(await screen.findByRole("region", { name: "Lineage" }));
    expect(list.getAllByRole("row").slice(1).map((row) => cells(row).slice(0, 2))).toEqual([
      ["table flights.flights", "pipeline last_seen"],
      ["table flights.gone, dropped", "table flights.seen"],
      ["pipeline last_seen", "table flights.seen"],
      ["table flights.seen", "view flights.late"],
    ]);
    expect(list.queryByRole("link", { name: "flights.gone" })).toBeNull();
    expect(list.getAllByRole("link", { name: "flights.flights" })[0]?.getAttribute("href")).toBe("/c/demo/b/main/t/flights/flights?tab=lineage");
    expect(list.getAllByRole("link", { name: "last_seen" })[0]?.getAttribute("href")).toBe("/c/demo/pipelines/7?tab=runs");
    expect(document.querySelectorAll("[aria-hidden] svg title")).toHaveLength(5);
    expect(screen.getByText(/^1 table more .* There are more tables than are shown/)).toBeTruthy();
  });

  it("says what it means that nothing is known of where rows came from", async () => {
    serve({ ...LAKE, [`${AT}lineage/`]: { version: 16, node: "table:9", nodes: [], edges: [], commits: [], hidden_tables: 0, is_cut: false } });
    renderAt(`${ADDRESS}?tab=lineage`);
    expect(await screen.findByText(/A query leaves no record\.$/)).toBeTruthy();
  });

  it("keeps its schema versions apart: visible, hidden, discarded", async () => {
    renderAt(`${ADDRESS}?tab=schemas`);
    const store = async (title: RegExp) => (await screen.findByRole("heading", { name: title })).closest("section")?.textContent;
    expect(await store(/^Visible \(1\)/)).toMatch(/v12.*3 columns.*now ADD COLUMN on main/);
    expect(await store(/^Hidden \(1\)/)).toMatch(/v8.*2 columns.*1 file, since v14/);
    expect(await store(/^Discarded \(1\)/)).toMatch(/v6.*1 column.*of delays, in the merge v14/);
    expect(screen.getByRole("link", { name: "merge v14" }).getAttribute("href")).toBe("/merges/m-1");
  });

  it("marks the cells that changed between two versions, and only them", async () => {
    renderAt(`${ADDRESS}?tab=changes`);
    const table = within(await screen.findByRole("region", { name: "Changed rows" }));
    const changed = table.getAllByRole("cell").filter((cell) => cell.classList.contains("changed"));
    expect(changed.map((cell) => cell.textContent)).toEqual(["1", "2"]);
    expect(asked.some(({ address }) => address.includes("changes/?from=14&to=16"))).toBe(true);
  });

  it("compares its rows with another branch, and with a tag", async () => {
    asked = serve({ ...LAKE, "/api/v1/catalogs/demo/tags/": page([{ name: "release", branch: "main", version: 11 }]) });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=changes`);
    const from = await screen.findByLabelText<HTMLSelectElement>("From");
    const to = screen.getByLabelText<HTMLSelectElement>("to");
    expect([from, to].map((field) => field.selectedOptions[0]?.text)).toEqual(["v14", "v16"]);
    const asks = (query: string) => waitFor(() => expect(asked.at(-1)?.address).toBe(`${AT}changes/?${query}`));
    await user.selectOptions(from, "delays");
    await asks("from_branch=delays&to=16");
    await user.selectOptions(to, "release");
    await asks("from_branch=delays&to_tag=release");
    await user.selectOptions(from, "v16");
    await asks("from=16&to_tag=release");
    expect(within(from).queryByRole("option", { name: "main" })).toBeNull();
    expect([from, to].map((field) => field.selectedOptions[0]?.text)).toEqual(["v16", "release"]);
    expect(await screen.findByRole("region", { name: "Changed rows" })).toBeTruthy();
  });

  it("draws rows and bytes over its versions, and says them as a table", async () => {
    renderAt(`${ADDRESS}?tab=history`);
    expect((await screen.findByRole("img", { name: /^Rows/ })).getAttribute("aria-label")).toMatch(/600.*1,200/);
    expect(screen.getByRole("img", { name: /^Size/ })).toBeTruthy();
    const sizes = within(screen.getByRole("region", { name: "Size after each version", hidden: true }));
    expect(sizes.getAllByRole("row", { hidden: true })).toHaveLength(3);
  });

  it("shows the first operations of a large commit, and the others when they are asked for", async () => {
    const user = userEvent.setup();
    const done = (object: string) => ({ kind: "insert", object, metrics: {} });
    const operations = "/api/v1/catalogs/demo/branches/main/history/16/operations/";
    serve({
      ...LAKE,
      [`${AT}history/`]: page([{ ...commit(16, "CREATE"), operation_count: 3 }]),
      [operations]: { next: `http://localhost${operations}?cursor=x`, results: [done("d.a"), done("d.b")] },
      [`${operations}?limit=200&cursor=x`]: page([done("d.c")]),
    });
    renderAt(`${ADDRESS}?tab=history`);
    await user.click(await screen.findByText("flights.seen and 2 others"));
    await user.click(screen.getByRole("button", { name: "More operations" }));
    expect(await screen.findByText("d.b")).toBeTruthy();
    expect(screen.getByText("2 of 3 operations")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "More operations" }));
    expect(await screen.findByText("d.c")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "More operations" })).toBeNull();
  });

  it("is restored to a version with the statement that a person would type", async () => {
    const user = userEvent.setup();
    asked = serve({ ...LAKE, "/api/v1/sql/": { columns: [], rows: [], row_count: 0, truncated: false, version: 17, metrics: {} } });
    renderAt(`${ADDRESS}?tab=history`);
    await screen.findByRole("list", { name: "Commits, newest first" });
    // One at each version but the head.
    const [restore, ...older] = screen.getAllByRole("button", { name: "Restore to this version", hidden: true });
    expect(older).toHaveLength(1);
    await user.click(restore ?? document.body);
    expect(await screen.findByText("RESTORE TABLE `flights`.`seen` TO VERSION AS OF 14")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Restore" }));
    await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ statement: "RESTORE TABLE `flights`.`seen` TO VERSION AS OF 14", branch: "main" }));
  });

  it("has properties", async () => {
    renderAt(`${ADDRESS}?tab=properties`);
    expect((await screen.findByText("owner")).nextElementSibling?.textContent).toBe("alice");
  });
});
