import { describe, expect, it } from "vitest";

import { allCsv, allTabbed, filtered, isInside, nextSorting, rangeText, sorted } from "./result-table";

const COLUMNS = [
  { name: "id", type: "bigint" },
  { name: "price", type: "decimal(10,2)" },
  { name: "note", type: "string" },
];
const ROWS = [
  [10, "9.50", "b"],
  [9, "10.25", null],
  ["9007199254740993", null, "a\tb\nc"],
  ["9007199254740992", "-1.00", "=1+1"],
];
const ids = (rows: readonly (readonly unknown[])[]) => rows.map(([id]) => String(id));

describe("a result", () => {
  it("is sorted by number where the column has numbers, by text else, NULL last in both directions", () => {
    expect(ids(sorted(COLUMNS, ROWS, { at: 0, isDown: false }))).toEqual(["9", "10", "9007199254740992", "9007199254740993"]);
    expect(sorted(COLUMNS, ROWS, { at: 1, isDown: false }).map((row) => row[1])).toEqual(["-1.00", "9.50", "10.25", null]);
    expect(sorted(COLUMNS, ROWS, { at: 1, isDown: true }).map((row) => row[1])).toEqual(["10.25", "9.50", "-1.00", null]);
    expect(sorted(COLUMNS, ROWS, { at: 2, isDown: true }).map((row) => row[2])).toEqual(["b", "a\tb\nc", "=1+1", null]);
    expect(sorted(COLUMNS, ROWS, undefined)).toBe(ROWS);
  });

  it("goes up, down, and back to how it came", () => {
    expect(nextSorting(undefined, 1)).toEqual({ at: 1, isDown: false });
    expect(nextSorting({ at: 1, isDown: false }, 1)).toEqual({ at: 1, isDown: true });
    expect(nextSorting({ at: 1, isDown: true }, 1)).toBeUndefined();
    expect(nextSorting({ at: 1, isDown: true }, 2)).toEqual({ at: 2, isDown: false });
  });

  it("is filtered by text in any cell, by comparison in one column, and by NULL", () => {
    expect(ids(filtered(COLUMNS, ROWS, "B", undefined))).toEqual(["10", "9007199254740993"]);
    expect(ids(filtered(COLUMNS, ROWS, "> 9.5", 1))).toEqual(["9"]);
    expect(ids(filtered(COLUMNS, ROWS, ">=9007199254740993", 0))).toEqual(["9007199254740993"]);
    expect(ids(filtered(COLUMNS, ROWS, "<> b", 2))).toEqual(["9007199254740993", "9007199254740992"]);
    expect(ids(filtered(COLUMNS, ROWS, "NULL", 2))).toEqual(["9"]);
    expect(ids(filtered(COLUMNS, ROWS, "> many", 1))).toEqual([]);
    expect(filtered(COLUMNS, ROWS, "  ", undefined)).toBe(ROWS);
  });

  it("is copied as a range or whole, as tabs or CSV", () => {
    const range = { from: { row: 1, column: 2 }, to: { row: 0, column: 1 } };
    expect(isInside(range, 0, 2)).toBe(true);
    expect(isInside(range, 2, 2)).toBe(false);
    expect(rangeText(COLUMNS, ROWS, range)).toBe("price\tnote\n9.50\tb\n10.25\t");
    expect(rangeText(COLUMNS, ROWS, { from: { row: 2, column: 2 }, to: { row: 2, column: 2 } })).toBe("a b c");
    expect(allTabbed(COLUMNS, ROWS.slice(0, 1))).toBe("id\tprice\tnote\n10\t9.50\tb");
    expect(allCsv(COLUMNS, ROWS.slice(3))).toBe("id,price,note\r\n9007199254740992,'-1.00,'=1+1\r\n");
  });
});
