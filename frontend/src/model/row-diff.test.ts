import { describe, expect, it } from "vitest";

import { diffRows, tellingColumns } from "./row-diff";

describe("a row diff", () => {
  it("finds the cells that an update changed, on both of its lines", () => {
    const rows = diffRows({
      rows: [
        ["update_before", 7, "UA", null, { a: 1 }],
        ["update_after", 7, "UA", "late", { a: 1 }],
        ["insert", 8, "B6", null, null],
      ],
    });
    expect(rows.map((row) => [row.change, ...row.changed])).toEqual([
      ["update_before", 1],
      ["update_after", 1],
      ["insert"],
    ]);
    expect(rows[0]?.values).toEqual(["UA", null, { a: 1 }]);
  });
  it("marks nothing on an update whose other line is beyond what was sent", () => {
    expect(diffRows({ rows: [["update_before", 7, 1]] })[0]?.changed.size).toBe(0);
  });
});

describe("the columns that tell what happened", () => {
  const columns = ["id", "name", "age"];
  const update = [
    ["update_before", 7, 1, "a", 30],
    ["update_after", 7, 1, "b", 30],
  ];
  it("are those that an update changed, and the key", () => {
    expect(tellingColumns(columns, diffRows({ rows: update }), ["id"])).toEqual([0, 1]);
  });
  it("are, in a table without a key, also those that show which rows they are", () => {
    const wide = ["year", "carrier", "flight", "gate", "tail", "delay"];
    const late = (rowId: number, flight: number, delay: number) => [
      ["update_before", rowId, 2013, "UA", flight, null, "N1", 0],
      ["update_after", rowId, 2013, "UA", flight, null, "N1", delay],
    ];
    expect(tellingColumns(wide, diffRows({ rows: [...late(1, 15, 9), ...late(2, 16, 8)] }), [])).toEqual([0, 1, 2, 5]);
    expect(tellingColumns(wide, diffRows({ rows: late(1, 15, 9) }), [])).toEqual([0, 1, 2, 5]);
    expect(tellingColumns(columns, diffRows({ rows: update }), ["id"])).toEqual([0, 1]);
  });
  it("are all where rows came or went", () => {
    expect(tellingColumns(columns, diffRows({ rows: [...update, ["delete", 8, 2, "c", 31]] }), [])).toEqual([0, 1, 2]);
  });
});
