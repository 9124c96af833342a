import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { CONFLICT } from "../../testing/findings";
import { renderAt } from "../../testing/render";
import { comment, request, resolution } from "../../testing/review";
import { comparedObject, COMPARISON, json, page, problem, serve, type Asked } from "../../testing/server";
import { signedInAs } from "../../testing/user";

const AT = "/api/v1/catalogs/demo/merge-requests/3/";
const TABLE = "/api/v1/catalogs/demo/compare/delays...main/objects/table/5/";
const KEY = '{"flight":"F1"}';
const NAMED = "flight = F1";
const DECIDED_AT = { object_kind: "table", object_id: 5, source_head: 15, destination_head: 16 };
const CLASH = { ...CONFLICT, rule_table: "keyed", source_op: "update", dest_op: "update", code: "PRIMARY_KEY_CLASH" };
const DATA = { object_kind: "table", object_id: 5 };
const SIDES = {
  next: null,
  source_head: 15,
  destination_head: 16,
  columns: ["flight", "carrier", "gate"].map((name, place) => ({ id: place + 1, name, type: "string", is_key: place === 0 })),
  rows: [
    {
      key: KEY, is_conflict: true, is_open: true, source_change: "update", dest_change: "update",
      base: ["F1", "UA", "1"], source: ["F1", "AA", "1"], destination: ["F1", "DL", "2"], result: null,
    },
  ],
};

/** The same columns, as the comparison of the table says them. */
const COLUMNS = SIDES.columns.map(({ id, name, type }) => {
  const column = { id, name, type, nullable: true, comment: "", default: null, key_position: null };
  return { id, base: column, source: column, destination: column, result: column, is_changed: false };
});

const NEWEST = {
  decision: "newest", part: "rows", part_key: "", rows_left_out: 1, left_out: [], refused: "",
  text: 'Keeps the row with the later gate: 1 row (flight "F1": carrier "DL").',
};

function lake(more: Record<string, object> = {}): Asked[] {
  signedInAs("alice");
  return serve({
    "/api/v1/catalogs/demo/": { name: "demo", role: "owner" },
    "/api/v1/catalogs/demo/members/": page([]),
    [AT]: request(),
    [`${AT}timeline/`]: page([]),
    [`${AT}comments/`]: page([]),
    [`${AT}reviews/`]: page([]),
    [`${AT}resolutions/`]: page([]),
    [`${AT}checks/`]: { results: [] },
    [`POST ${AT}resolutions/`]: () => json(resolution({}), 201),
    "/api/v1/catalogs/demo/compare/delays...main/": COMPARISON,
    [TABLE]: { ...comparedObject(0), rule_table: "keyed", cells: [CLASH], columns: COLUMNS },
    [`${TABLE}rows/`]: { next: null, base_version: 11, version: 15, columns: [], rows: [], keys: [] },
    [`${TABLE}rows/sides/`]: SIDES,
    [`${TABLE}decisions/`]: { source_head: 15, destination_head: 16, results: [] },
    [`${TABLE}decisions/?newest_by=gate`]: { source_head: 15, destination_head: 16, results: [NEWEST] },
    ...more,
  });
}

/** What was sent last. */
const decided = (asked: Asked[]) => asked.filter(({ method }) => method === "POST").at(-1)?.body;

describe("deciding rows that conflict", () => {
  const user = userEvent.setup();
  let asked: Asked[];

  beforeEach(async () => {
    asked = lake();
    renderAt("/c/demo/requests/3?tab=compare");
    await screen.findByText(/1 row shown, 1 to decide/);
  });

  /** Once it is there; it may be pressed while other decisions are on their way. */
  async function press(name: string) {
    await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name }).disabled).toBe(false));
    await user.click(screen.getByRole("button", { name }));
  }

  it("takes a rule for all of them", async () => {
    await press("Keep the larger value of all rows in conflict");
    await waitFor(() =>
      expect(decided(asked)).toEqual({ ...DECIDED_AT, part: "rows", part_key: "", decision: "larger", name: "", value: "", confirm: null }),
    );
    await press("Keep the newer row … of all rows in conflict");
    await user.type(await screen.findByLabelText("Column that says which row is newer"), "gate");
    await press("Keep the newer");
    expect(await screen.findByText(NEWEST.text)).toBeTruthy();
    await press("Leave out 1 changed row");
    await waitFor(() => expect(decided(asked)).toMatchObject({ part: "rows", decision: "newest", value: "gate", confirm: 1 }));
  });

  it("takes a side, or a row by hand, for one row by its key", async () => {
    await press(`Keep main of row ${NAMED}`);
    expect(await screen.findByText('Row flight = F1: keeps carrier "DL" of main; leaves out carrier "AA" of delays.')).toBeTruthy();
    expect(asked.some(({ method }) => method === "POST")).toBe(false);
    await press("Leave out 1 changed row");
    await waitFor(() => expect(decided(asked)).toMatchObject({ part: "row", part_key: KEY, decision: "destination", confirm: 1 }));
    await press(`Edit … of row ${NAMED}`);
    const form = within(await screen.findByRole("dialog", { name: `Edit row ${NAMED}` }));
    // Main alone changed the gate; of the carrier both have something else.
    expect(form.getAllByRole<HTMLInputElement>("textbox").map(({ value }) => value)).toEqual(["AA", "2"]);
    await user.click(form.getByRole("button", { name: "main: DL for carrier" }));
    await user.type(form.getByLabelText(/^carrier/), " or WN");
    await user.click(form.getByLabelText("NULL for gate"));
    await user.click(form.getByRole("button", { name: "Keep this row" }));
    await waitFor(() => expect(decided(asked)).toMatchObject({ part: "row", decision: "edited", value: '{"carrier": "DL or WN", "gate": null}' }));
  });

  it("takes a side, or a value by hand, for one cell, and offers cells that both changed only", async () => {
    await user.click(screen.getByText("Cell by cell (1)"));
    await press(`Keep delays of carrier of ${NAMED}`);
    await waitFor(() => expect(decided(asked)).toMatchObject({ part: "cell", part_key: `2:${KEY}`, decision: "source" }));
    await press(`Edit … of carrier of ${NAMED}`);
    const form = within(await screen.findByRole("dialog", { name: `Edit carrier of ${NAMED}` }));
    await user.clear(form.getByRole("textbox"));
    await user.type(form.getByRole("textbox"), "WN");
    await user.click(form.getByRole("button", { name: "Keep this value" }));
    await waitFor(() => expect(decided(asked)).toMatchObject({ part: "cell", decision: "edited", value: '"WN"' }));
    expect(screen.queryByRole("button", { name: `Keep delays of gate of ${NAMED}` })).toBeNull();
  });
});

it("cannot be decided before it is known what is left out", async () => {
  let counted: (response: Response) => void = () => undefined;
  const asked = lake({ [`${TABLE}decisions/`]: () => new Promise<Response>((resolve) => (counted = resolve)) });
  const user = userEvent.setup();
  renderAt("/c/demo/requests/3?tab=compare");
  const larger = () => screen.getByRole<HTMLButtonElement>("button", { name: "Keep the larger value of all rows in conflict" });
  expect((await screen.findAllByText("counting what it leaves out …")).length).toBeGreaterThan(0);
  expect(larger().disabled).toBe(true);
  counted(json({ source_head: 15, destination_head: 16, results: [{ ...NEWEST, decision: "larger" }] }));
  await waitFor(() => expect(larger().disabled).toBe(false));
  await user.click(larger());
  expect(await screen.findByRole("button", { name: "Leave out 1 changed row" })).toBeTruthy();
  expect(asked.some(({ method }) => method === "POST")).toBe(false);
});

describe("decisions pressed one after the other", () => {
  it("are sent together once the first is saved, and the page asks before it is left with one unsaved", async () => {
    let save: () => void = () => undefined;
    const asked = lake({
      [`POST ${AT}resolutions/`]: () => new Promise<Response>((resolve) => (save = () => resolve(json(resolution({}), 201)))),
      [`POST ${AT}resolutions/batch/`]: () => json({ results: [] }, 201),
    });
    const user = userEvent.setup();
    renderAt("/c/demo/requests/3?tab=compare");
    await user.click(await screen.findByText("Cell by cell (1)"));
    await user.click(screen.getByRole("button", { name: `Keep delays of carrier of ${NAMED}` }));
    await user.click(screen.getByRole("button", { name: `Keep main of row ${NAMED}` }));
    await user.click(await screen.findByRole("button", { name: "Leave out 1 changed row" }));
    await user.click(screen.getByRole("button", { name: "Keep the larger value of all rows in conflict" }));
    expect(await screen.findByText(/^Saving 3 decisions/)).toBeTruthy();
    expect(screen.getAllByText(/^Waiting to be saved/)).toHaveLength(2);
    expect(leaving().defaultPrevented).toBe(true);
    save();
    await waitFor(() => expect(decided(asked)).toMatchObject({ source_head: 15, decisions: [{ part: "row", confirm: 1 }, { part: "rows" }] }));
    await waitFor(() => expect(screen.queryByText(/^Saving/)).toBeNull());
    expect(leaving().defaultPrevented).toBe(false);
    expect(asked.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  it("that could not be saved are shown on every page, and can be sent again", async () => {
    const served = { down: true };
    const asked = lake({
      [`POST ${AT}resolutions/`]: () => (served.down ? problem(503, { code: "OVERLOADED", title: "Busy", detail: "The server has no room." }) : json(resolution({}), 201)),
    });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/requests/3?tab=compare");
    await user.click(await screen.findByRole("button", { name: "Keep the larger value of all rows in conflict" }));
    expect(await screen.findByText("1 decision not saved")).toBeTruthy();
    await act(() => router.navigate("/c/demo/requests/3"));
    served.down = false;
    await user.click(await screen.findByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.queryByText("1 decision not saved")).toBeNull());
    expect(asked.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  function leaving(): Event {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event;
  }
});

it("asks before a choice whose loss could not be counted, and says that it is not known", async () => {
  const asked = lake({ [`${TABLE}decisions/`]: () => problem(503, { code: "ENGINE_AWAY", title: "Away", detail: "The compute engine is away." }) });
  const user = userEvent.setup();
  renderAt("/c/demo/requests/3?tab=compare");
  expect((await screen.findAllByText(/could not be counted/)).length).toBeGreaterThan(0);
  await user.click(screen.getByRole("button", { name: "Keep the larger value of all rows in conflict" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText(/is not known: they could not be counted/)).toBeTruthy();
  expect(dialog.getByText("The compute engine is away.")).toBeTruthy();
  expect(asked.some(({ method }) => method === "POST")).toBe(false);
  await user.click(dialog.getByRole("button", { name: "Leave out rows without a count" }));
  await waitFor(() => expect(decided(asked)).toMatchObject({ part: "rows", decision: "larger", confirm: null }));
});

describe("comments on data", () => {
  const said = { ...DATA, row_key: KEY, place: "value" as const, column_id: 2, column_name: "carrier", body_html: "<p>Which carrier?</p>" };

  it("stand beside the row that they are on, and are written there", async () => {
    const user = userEvent.setup();
    const asked = lake({
      [`${AT}comments/`]: page([comment({ ...said, id: 1 }), comment({ ...said, id: 2, row_key: '{"flight":"F9"}', body_html: "<p>Another row</p>" })]),
      [`POST ${AT}comments/`]: () => json(comment({ ...said, id: 3 }), 201),
    });
    renderAt("/c/demo/requests/3?tab=compare");
    const rows = within(await screen.findByRole("region", { name: "Rows that conflict" }));
    expect(await rows.findByText("Which carrier?")).toBeTruthy();
    expect(rows.getByText("column carrier")).toBeTruthy();
    expect(screen.queryByText("Another row")).toBeNull();
    await user.click(rows.getByRole("button", { name: `Comment on row ${NAMED}` }));
    await user.selectOptions(rows.getByLabelText("On"), "gate");
    await user.type(rows.getByRole("textbox"), "Is it gate 2?");
    await user.click(rows.getByRole("button", { name: "Comment" }));
    await waitFor(() => expect(decided(asked)).toMatchObject({ body: "Is it gate 2?", object_kind: "table", object_id: 5, row_key: KEY, column_id: 3 }));
  });
});

describe("suggested values", () => {
  it("are sent with the value that the source has", async () => {
    const user = userEvent.setup();
    const asked = lake({ [`${AT}comments/`]: page([]), [`POST ${AT}comments/`]: () => json(comment({ id: 3 }), 201) });
    renderAt("/c/demo/requests/3?tab=compare");
    const rows = within(await screen.findByRole("region", { name: "Rows that conflict" }));
    await user.click(await rows.findByRole("button", { name: `Comment on row ${NAMED}` }));
    expect(rows.queryByRole("checkbox", { name: /^Suggest another value/ })).toBeNull();
    await user.selectOptions(rows.getByLabelText("On"), "gate");
    const was = await rows.findByRole("checkbox", { name: /^Suggest another value than/ });
    await user.click(was);
    const send = rows.getByRole<HTMLButtonElement>("button", { name: "Comment" });
    // It has this value.
    expect(send.disabled).toBe(true);
    const field = rows.getByRole<HTMLInputElement>("textbox", { name: "Suggested string" });
    const before = field.value;
    await user.clear(field);
    await user.type(field, "7");
    await user.click(send);
    await waitFor(() =>
      expect(decided(asked)).toMatchObject({ body: "I suggest another value.", row_key: KEY, column_id: 3, suggestion: { was: before, value: "7" } }),
    );
  });
});

describe("comments on rows that do not conflict, or have no key", () => {
  const HEADS = [["change", "string"], ["row_id", "bigint"], ["flight", "string"], ["carrier", "string"], ["gate", "string"]].map(([name, type]) => ({ name, type }));
  const CHANGED = {
    next: null, base_version: 11, version: 15, columns: HEADS, keys: ["23", "23", "24"],
    rows: [["update_before", 23, "F1", "UA", "1"], ["update_after", 23, "F1", "AA", "1"], ["insert", 24, "F1", "DL", "9"]],
  };

  it("name the row by the columns that tell it apart, and stand beneath it", async () => {
    const user = userEvent.setup();
    const asked = lake({
      [TABLE]: { ...comparedObject(0), columns: COLUMNS },
      [`${TABLE}rows/?side=source&limit=100`]: CHANGED,
      [`${TABLE}rows/?side=destination&limit=100`]: { ...CHANGED, rows: [], keys: [] },
      [`${AT}comments/`]: page([comment({ ...DATA, row_key: "24", place: "row", id: 1, body_html: "<p>Why new?</p>" })]),
      [`POST ${AT}comments/`]: () => json(comment({ ...DATA, row_key: "23", place: "row", id: 3 }), 201),
    });
    renderAt("/c/demo/requests/3?tab=compare");
    const rows = within(await screen.findByRole("region", { name: "Rows that delays changed" }));
    expect(rows.getByText("Why new?")).toBeTruthy();
    await user.click(rows.getByRole("button", { name: "Comment on row carrier = AA (row 23)" }));
    await user.type(rows.getByRole("textbox"), "Is that so?");
    await user.click(rows.getByRole("button", { name: "Comment" }));
    await waitFor(() => expect(decided(asked)).toMatchObject({ body: "Is that so?", object_id: 5, row_key: "23", column_id: null }));
  });

  it("stand on a row in conflict without a key, which no one decides alone", async () => {
    const row = { ...SIDES.rows[0], key: "23" };
    lake({
      [TABLE]: { ...comparedObject(0), cells: [{ ...CLASH, rule_table: "table", code: "SAME_FILE_UPDATE_UPDATE" }], columns: COLUMNS },
      [`${TABLE}rows/sides/`]: { ...SIDES, rows: [row, { ...row, key: "24", source: ["F2", "AA", "1"], destination: ["F2", "DL", "2"] }], columns: SIDES.columns.map((column) => ({ ...column, is_key: false })) },
    });
    renderAt("/c/demo/requests/3?tab=compare");
    const rows = within(await screen.findByRole("region", { name: "Rows that conflict" }));
    expect(rows.getByRole("button", { name: "Comment on row flight = F1 (row 23)" })).toBeTruthy();
    expect(rows.getByRole("button", { name: "Comment on row flight = F2 (row 24)" })).toBeTruthy();
    expect(rows.queryByRole("button", { name: /^Keep/ })).toBeNull();
  });
});

describe("rows in conflict without a primary key", () => {
  it("are decided one by one where they clash, and no others of the file are", async () => {
    const row = { ...SIDES.rows[0], key: "23" };
    const beside = { ...row, key: "22", base: ["F2", "UA", "1"], source: ["F2", "AA", "1"], destination: ["F2", "UA", "1"], dest_change: null };
    const clash = { ...CLASH, rule_table: "table", code: "SAME_FILE_UPDATE_UPDATE", details: { rows: 2, clashing: 1, keys: ["23"] } };
    const asked = lake({
      [TABLE]: { ...comparedObject(0), cells: [clash], columns: COLUMNS },
      [`${TABLE}rows/sides/`]: { ...SIDES, rows: [beside, row], columns: SIDES.columns.map((column) => ({ ...column, is_key: false })) },
      [`POST ${AT}resolutions/`]: () => json(resolution({}), 201),
    });
    const user = userEvent.setup();
    renderAt("/c/demo/requests/3?tab=compare");
    const rows = within(await screen.findByRole("region", { name: "Rows in conflict" }));
    expect(rows.getByText("both changes stay")).toBeTruthy();
    expect(rows.getByText(/1 to decide/)).toBeTruthy();
    await user.click(rows.getByRole("button", { name: "Keep delays of row id 23" }));
    await user.click(await screen.findByRole("button", { name: "Leave out 1 changed row" }));
    await waitFor(() => expect(decided(asked)).toMatchObject({ part: "row", part_key: "23", decision: "source" }));
  });
});

describe("deciding several rows at once", () => {
  const OTHER = '{"flight":"F2"}';
  const rows = [SIDES.rows[0], { ...SIDES.rows[0], key: OTHER, base: ["F2", "UA", "1"], source: ["F2", "AA", "1"], destination: ["F2", "DL", "2"] }];

  it("sends the chosen rows in one call", async () => {
    const asked = lake({ [`${TABLE}rows/sides/`]: { ...SIDES, rows }, [`POST ${AT}resolutions/batch/`]: () => json({ results: [] }, 201) });
    const user = userEvent.setup();
    renderAt("/c/demo/requests/3?tab=compare");
    await user.click(await screen.findByText("Decide several rows at once"));
    await user.click(screen.getByRole("button", { name: "Choose all 2 open rows" }));
    await user.click(screen.getByLabelText("flight = F1"));
    await user.click(screen.getByLabelText("flight = F1"));
    await user.click(screen.getByRole("button", { name: "Keep delays of 2 rows" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/^Row flight = F2: keeps carrier "AA" of delays/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Leave out 2 changed rows" }));
    const { object_kind, object_id, ...heads } = DECIDED_AT;
    await waitFor(() =>
      expect(decided(asked)).toEqual({
        ...heads,
        decisions: [KEY, OTHER].map((key) => ({ object_kind, object_id, part: "row", part_key: key, decision: "source", name: "", value: "", confirm: 1 })),
      }),
    );
    expect(asked.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

it("shows the result of a decided row, and strikes the value out that loses", async () => {
  lake({
    [`${TABLE}rows/sides/`]: { ...SIDES, rows: [{ ...SIDES.rows[0], is_open: false, result: ["F1", "AA", "2"] }] },
    [`${AT}resolutions/`]: page([resolution({ part: "row", part_key: KEY, decision: "source" })]),
  });
  renderAt("/c/demo/requests/3?tab=compare");
  const rows = within(await screen.findByRole("region", { name: "Rows that conflict" }));
  const result = within((await rows.findByRole("rowheader", { name: "result" })).closest("tr") as HTMLElement);
  expect(result.getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["F1", "AA", "2"]);
  const struck = [...document.querySelectorAll(".diff s")].map((found) => found.textContent);
  expect(struck).toEqual(["DL"]);
  expect(document.querySelector(".diff td.clash")).toBeNull();
});

it.each(["larger", "newest"] as const)("shows the result of a row that a rule for all decided: %s", async (decision) => {
  lake({
    [`${TABLE}rows/sides/`]: { ...SIDES, rows: [{ ...SIDES.rows[0], is_open: false, result: ["F1", "DL", "2"] }] },
    [`${AT}resolutions/`]: page([resolution({ part: "rows", part_key: "", decision, value: decision === "newest" ? "gate" : "" })]),
  });
  renderAt("/c/demo/requests/3?tab=compare");
  const rows = within(await screen.findByRole("region", { name: "Rows that conflict" }));
  const result = within((await rows.findByRole("rowheader", { name: "result" })).closest("tr") as HTMLElement);
  expect(result.getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["F1", "DL", "2"]);
  expect([...document.querySelectorAll(".diff s")].map((found) => found.textContent)).toEqual(["AA"]);
});

it("decides rows of a comparison without a request, and leads to the one that has the decision", async () => {
  const made = { ...request(), number: 3 };
  const asked = lake({
    "/api/v1/catalogs/demo/merge-requests/": page([]),
    "POST /api/v1/catalogs/demo/merge-requests/": () => json(made, 201),
  });
  const user = userEvent.setup();
  renderAt("/c/demo/compare/delays...main");
  await user.click(await screen.findByRole("button", { name: `Keep main of row ${NAMED}` }));
  await user.click(await screen.findByRole("button", { name: "Leave out 1 changed row" }));
  expect(await screen.findByRole("tab", { name: "Comparison", selected: true })).toBeTruthy();
  const posted = asked.filter(({ method }) => method === "POST").map(({ address, body }) => [address, body]);
  expect(posted).toEqual([
    ["/api/v1/catalogs/demo/merge-requests/", { source: "delays", destination: "main", title: "Merge delays into main" }],
    [`${AT}resolutions/`, expect.objectContaining({ part: "row", part_key: KEY, decision: "destination", confirm: 1 })],
  ]);
});

it("shows what was decided of a row beneath it", async () => {
  lake({ [`${AT}resolutions/`]: page([resolution({ part: "row", part_key: KEY, decision: "destination", author: "carol" })]) });
  renderAt("/c/demo/requests/3?tab=compare");
  const rows = within(await screen.findByRole("region", { name: "Rows that conflict" }));
  expect(await rows.findByText(/carol/)).toBeTruthy();
  expect(rows.getByRole("button", { name: `Keep main of row ${NAMED}` }).getAttribute("aria-pressed")).toBe("true");
});
