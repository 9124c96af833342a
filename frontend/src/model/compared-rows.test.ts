import { describe, expect, it } from "vitest";

import type { ComparedRow, SidesColumn } from "../api/resources";
import { clashingColumns, snapshotLines, tellingPlaces } from "./compared-rows";

const COLUMNS: SidesColumn[] = [
  { id: 1, name: "id", type: "int", is_key: true },
  { id: 2, name: "carrier", type: "string", is_key: false },
  { id: 3, name: "delay", type: "int", is_key: false },
];
const row = (given: Partial<ComparedRow>): ComparedRow => ({
  key: '{"id":1}', is_conflict: true, is_open: true, source_change: "update", dest_change: "update",
  result: null,
  base: [1, "UA", 5], source: [1, "UA", 5], destination: [1, "UA", 5], ...given,
});

describe("a row of two branches", () => {
  it("clashes where both changed a cell to different values, and only there", () => {
    const both = row({ source: [1, "AA", 7], destination: [1, "DL", 5] });
    expect(clashingColumns(both, COLUMNS).map((column) => column.name)).toEqual(["carrier"]);
    const [base, source, destination] = snapshotLines(both);
    expect([base, source, destination].map((line) => [...(line?.changed ?? [])])).toEqual([[], [1, 2], [1]]);
    expect([...(source?.clashing ?? [])]).toEqual([1]);
  });

  it("clashes in all that differs where both inserted it", () => {
    expect(clashingColumns(row({ base: null, source: [1, "AA", 5] }), COLUMNS).map((column) => column.name)).toEqual(["carrier"]);
  });

  it("has no clashing cell where one side took it away", () => {
    expect(clashingColumns(row({ source: null, destination: [1, "UA", 9] }), COLUMNS)).toEqual([]);
  });

  it("is described by its key and what differs; a row that only one snapshot has is described whole", () => {
    expect(tellingPlaces(COLUMNS, [row({ source: [1, "UA", 9] })])).toEqual([0, 2]);
    expect(tellingPlaces(COLUMNS, [row({ base: null, source: null })])).toEqual([0, 1, 2]);
  });

  it("is described, without a key, by the columns that show which row it is", () => {
    const wide: SidesColumn[] = ["id", "carrier", "flight", "gate", "delay"].map((name, id) => ({ id, name, type: "int", is_key: false }));
    const base = [1, "UA", 15, null, 0];
    expect(tellingPlaces(wide, [row({ key: "7", base, source: [1, "UA", 15, null, 9], destination: base })])).toEqual([0, 1, 2, 4]);
  });
});
