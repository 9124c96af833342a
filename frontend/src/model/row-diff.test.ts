import { describe, expect, it } from "vitest";

import { diffRows } from "./row-diff";

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
