import { describe, expect, it } from "vitest";

import type { CommitNode } from "./graph";
import { timeMarks } from "./time-marks";

function nodes(times: string[]): CommitNode[] {
  return times.map((time, column) => ({
    kind: "commit",
    column,
    lane: 0,
    isHead: false,
    tags: [],
    commit: {
      version: column, branch: "main", branch_id: 1, parent: null, merge_parent: null,
      operation: "INSERT", object: "d.t", object_count: 1, message: "", author: "", time, pipeline: "", rows_changed: 0,
    },
  }));
}

describe("the time axis", () => {
  it("marks where a day begins, in the reader's time zone", () => {
    const times = ["2026-01-01T10:00:00Z", "2026-01-01T22:30:00Z", "2026-01-01T23:30:00Z", "2026-01-02T23:30:00Z"];
    expect(timeMarks(nodes(times), "UTC").map((mark) => mark.column)).toEqual([0, 3]);
    expect(timeMarks(nodes(times), "Europe/Berlin")).toEqual([
      { column: 0, label: "1 Jan 2026" },
      { column: 3, label: "3 Jan 2026" },
    ]);
  });
  it("marks moments when all is of one day", () => {
    const times = ["2026-01-01T10:00:00Z", "2026-01-01T10:01:00Z", "2026-01-01T10:02:00Z", "2026-01-01T12:30:00Z"];
    expect(timeMarks(nodes(times), "UTC")).toEqual([
      { column: 0, label: "1 Jan, 10:00" },
      { column: 3, label: "1 Jan, 12:30" },
    ]);
  });
  it("leaves out labels that would run into each other", () => {
    const times = Array.from({ length: 9 }, (_, place) => `2026-01-0${place + 1}T00:00:00Z`);
    expect(timeMarks(nodes(times), "UTC").map((mark) => mark.column)).toEqual([0, 3, 6]);
  });
  it("is empty without commits", () => expect(timeMarks([])).toEqual([]));
});
