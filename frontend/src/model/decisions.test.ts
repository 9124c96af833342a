import { describe, expect, it } from "vitest";

import type { ComparedDetail, ComparedRow, DecisionEffect } from "../api/resources";
import { CONFLICT, FINE } from "../testing/findings";
import { resolution } from "../testing/review";
import { areRowsDecidable, cellPart, decisionOf, isDecidable, keyText, partsOf, rowPart, withCounted } from "./decisions";

const column = (name: string) => ({ id: 4, name, type: "int", nullable: true, default: null, comment: null });
const DETAIL = {
  kind: "table",
  object_id: 5,
  cells: [],
  properties: [
    { key: "owner", base: "a", source: "b", destination: "c", result: null },
    { key: "note", base: "a", source: "b", destination: "a", result: "b" },
  ],
  columns: [{ id: 4, base: column("delay"), source: column("late"), destination: column("wait"), result: null, is_changed: true }],
  partitions: {
    source: [{ before: { year: "2013", month: null }, after: null }],
    destination: [{ before: { year: "2013", month: null }, after: { year: "2014", month: null } }],
  },
} as unknown as ComparedDetail;

describe("what can be decided", () => {
  it("is the object, and each part that both sides changed, as the server names it", () => {
    expect(partsOf(DETAIL).map(({ part, part_key, label, decisions }) => [part, part_key, label, decisions.join(" ")])).toEqual([
      ["object", "", "", "source destination"],
      ["property", "owner", "property owner", "source destination"],
      ["column", "4", "column delay", "destination"],
      ["partition", '["2013",null]', "partition year=2013, month=NULL", "destination"],
    ]);
  });

  it("is the part that an open conflict names, though one side alone changed it", () => {
    const option = (part: "property" | "column" | "partition", part_key: string) => ({ part, part_key, decision: "destination" as const });
    const cells = [
      { ...CONFLICT, code: "CHECK_VIOLATED", decisions: [option("property", "write.check.cheap")] },
      { ...CONFLICT, code: "COLUMN_TYPE_NARROWING", details: { column: "currency", column_id: 7, destination_column_id: 8 }, decisions: [option("column", "7")] },
      { ...CONFLICT, code: "PARTITION_EXISTS", decisions: [option("partition", '["2014",null]')] },
    ];
    const both = { ...column("currency"), id: 8 };
    const columns = [{ id: 8, base: null, source: both, destination: { ...both, type: "string" }, result: null, is_changed: true }];
    const parts = partsOf({ ...DETAIL, properties: [], columns, cells } as unknown as ComparedDetail);
    expect(parts.map(({ part, part_key, heading }) => [part, part_key, heading])).toEqual([
      ["object", "", "Whole table"],
      ["property", "write.check.cheap", "Constraint cheap"],
      ["column", "7", "Column currency"],
      ["partition", '["2014",null]', "Partition year=2014, month=NULL"],
      ["partition", '["2013",null]', "Partition year=2013, month=NULL"],
    ]);
  });

  it("stays what was decided, though no open conflict names it any more", () => {
    const made = [resolution({ part: "property", part_key: "write.check.cheap", decision: "destination" })];
    expect(partsOf({ ...DETAIL, properties: [], columns: [] }, made).map(({ label }) => label)).toEqual(["", "constraint cheap", "partition year=2013, month=NULL"]);
  });

  it("keeps the choice of another name, which is not counted before it is typed", () => {
    const taken = { ...CONFLICT, code: "NAME_EXISTS", decisions: (["rename", "destination", "leave_out"] as const).map((decision) => ({ part: "object" as const, part_key: "", decision })) };
    const [object] = partsOf({ ...DETAIL, cells: [taken] });
    const counted = (["destination", "leave_out"] as const).map((decision) => ({ part: "object", part_key: "", decision }) as DecisionEffect);
    expect(object && withCounted(object, counted).decisions.join(" ")).toBe("rename destination");
  });

  it("is all rows of a table with a primary key where they clash", () => {
    const clash = { ...CONFLICT, code: "PRIMARY_KEY_CLASH", rule_table: "keyed" };
    const [object, rows] = partsOf({ ...DETAIL, cells: [clash] });
    expect([object?.part, rows?.part, rows?.part_key, rows?.decisions.join(" ")]).toEqual(["object", "rows", "", "source destination larger newest"]);
  });

  it("is the rows that clash before the whole table, where they have no primary key", () => {
    const clash = { ...CONFLICT, code: "SAME_FILE_UPDATE_UPDATE", details: { clashing: 2 } };
    const [rows, object] = partsOf({ ...DETAIL, cells: [clash] });
    expect([rows?.part, rows?.decisions.join(" "), object?.part]).toEqual(["rows", "source destination larger newest", "object"]);
    expect(areRowsDecidable({ ...DETAIL, cells: [clash] })).toBe(true);
  });

  it("is that both changes stay, where no row clashes", () => {
    const clash = { ...CONFLICT, code: "SAME_FILE_UPDATE_UPDATE", details: { clashing: 0 } };
    const [rows, object] = partsOf({ ...DETAIL, cells: [clash] });
    expect([rows?.heading, rows?.decisions.join(" "), object?.part]).toEqual(["Changed rows", "both", "object"]);
    expect(areRowsDecidable({ ...DETAIL, cells: [clash] })).toBe(false);
  });

  it("is what the server counts, once a decision was made", () => {
    const [object, property] = partsOf(DETAIL);
    const counted = (["rename", "destination", "leave_out"] as const).map((decision) => ({ part: "object", part_key: "", decision }) as DecisionEffect);
    expect(object && withCounted(object, counted).decisions.join(" ")).toBe("rename destination");
    expect(object && withCounted(object, []).decisions.join(" ")).toBe("source destination");
    expect(property && withCounted(property, counted).decisions.join(" ")).toBe("source destination");
  });

  it("names a row by its key and a cell by its column before it", () => {
    const row = { key: '{"id":5}' } as ComparedRow;
    expect(rowPart(row).part_key).toBe('{"id":5}');
    expect(cellPart(row, { id: 3, name: "v", type: "string", is_key: false }).part_key).toBe('3:{"id":5}');
  });

  it("is anything only where there is or was a conflict", () => {
    expect(isDecidable([FINE])).toBe(false);
    expect(isDecidable([FINE, CONFLICT])).toBe(true);
    expect(isDecidable([{ ...CONFLICT, verdict: "decided" }])).toBe(true);
  });

  it("finds the decision of just that part", () => {
    const made = [resolution({ id: 1, object_id: 6 }), resolution({ id: 2, part: "property", part_key: "owner" })];
    const [object, property] = partsOf(DETAIL);
    expect(object && decisionOf(made, DETAIL, object)).toBeUndefined();
    expect(property && decisionOf(made, DETAIL, property)?.id).toBe(2);
  });
});

describe("a row's key for people", () => {
  it.each([
    ['{"id":1}', "id = 1"],
    ['{"carrier":"UA","flight":1545}', "carrier = UA, flight = 1545"],
    ["0", "id 0"],
    ["somewhere", "somewhere"],
  ])("of %s is %s", (key, text) => {
    expect(keyText(key)).toBe(text);
  });
});
