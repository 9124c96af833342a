import { describe, expect, it } from "vitest";

import { beginning, editable, jsonOf, rowJson, typedOf } from "./edited-row";

const columns = [
  { id: 1, name: "id", type: "bigint", is_key: true },
  { id: 2, name: "name", type: "string", is_key: false },
  { id: 3, name: "amount", type: "decimal(10,2)", is_key: false },
];
const row = { key: '{"id":1}', is_conflict: true, is_open: true, source_change: null, dest_change: null, base: null, source: null, destination: [1, null, "0.10"], result: null };

describe("values that are typed", () => {
  it("are JSON by the type of their column", () => {
    expect(jsonOf("Eve", "string")).toBe('"Eve"');
    expect(jsonOf("12", "int")).toBe("12");
    expect(jsonOf("007", "int")).toBe("7");
    expect(jsonOf("9223372036854775807", "bigint")).toBe("9223372036854775807");
    expect(jsonOf("0.10", "decimal(10,2)")).toBe('"0.10"');
    expect(jsonOf("TRUE", "boolean")).toBe("true");
    expect(jsonOf("[1, 2]", "array<int>")).toBe("[1, 2]");
    expect(jsonOf("2014-01-01", "date")).toBe('"2014-01-01"');
    expect(jsonOf("", "string")).toBe('""');
    expect(jsonOf(null, "int")).toBe("null");
  });

  it("are refused where they are of no such type", () => {
    expect([jsonOf("", "int"), jsonOf("twelve", "double"), jsonOf("yes", "boolean"), jsonOf("[1", "array<int>")]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("begin with what each side alone changed, and the source's where both did", () => {
    const sides = { base: [1, "a", "1"], source: [1, "b", "1"], destination: [1, "c", "2"] };
    expect(beginning({ ...row, ...sides }, columns)).toEqual({ 1: "1", 2: "b", 3: "2" });
    expect(beginning({ ...row, ...sides, base: null }, columns)).toEqual({ 1: "1", 2: "b", 3: "1" });
  });

  it("are given where both sides changed the cell, and where somebody typed another", () => {
    const sides = { ...row, base: [1, "a", "1"], source: [1, "b", "1"], destination: [1, "c", "2"] };
    const typed = beginning(sides, columns);
    expect(rowJson(typed, editable(columns), sides, columns)).toBe('{"name": "b"}');
    expect(rowJson({ ...typed, 3: "5" }, editable(columns), sides, columns)).toBe('{"name": "b", "amount": "5"}');
    expect(rowJson(typed, editable(columns), { ...sides, base: null }, columns)).toBe('{"name": "b", "amount": "2"}');
  });

  it("begin with the row of the side that has it", () => {
    const typed = beginning(row, columns);
    expect(typed).toEqual({ 1: "1", 2: null, 3: "0.10" });
    expect(rowJson({ ...typed, 2: 'E"e' }, editable(columns), row, columns)).toBe('{"name": "E\\"e"}');
    expect(rowJson({ ...typed, 3: "much" }, editable(columns), row, columns)).toBeUndefined();
    expect([typedOf({ a: 1 }), typedOf(undefined), typedOf(0)]).toEqual(['{"a":1}', null, "0"]);
  });
});
