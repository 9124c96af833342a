import { describe, expect, it } from "vitest";

import type { ComparedDetail, ComparedRow, DecisionEffect } from "../api/resources";
import { CONFLICT, FINE } from "../testing/findings";
import { resolution } from "../testing/review";
import { cellPart, decisionOf, isDecidable, partsOf, rowPart, withCounted } from "./decisions";

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

  it("is all rows of a table with a primary key where they clash", () => {
    const clash = { ...CONFLICT, code: "PRIMARY_KEY_CLASH", rule_table: "keyed" };
    const [object, rows] = partsOf({ ...DETAIL, cells: [clash] });
    expect([object?.part, rows?.part, rows?.part_key, rows?.decisions.join(" ")]).toEqual(["object", "rows", "", "source destination larger newest"]);
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
