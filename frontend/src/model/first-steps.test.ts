import { expect, it } from "vitest";

import { stepsDone, type Known } from "./first-steps";

const NOTHING: Known = { hasSeen: false, isMergeable: false, isEmpty: false, merges: [], isReverted: false };
const MERGED = [{ source: "delays", destination: "main", outcome: "merged", merge_id: "m" }];
const done = (more: Partial<Known>) => [...stepsDone({ ...NOTHING, ...more })];

it("ticks the steps off that were taken, and those before them", () => {
  expect(done({})).toEqual([]);
  expect(done({ hasSeen: true })).toEqual(["see"]);
  expect(done({ isMergeable: true })).toEqual(["see", "fix"]);
  expect(done({ merges: MERGED })).toEqual(["see", "fix", "merge"]);
  expect(done({ merges: MERGED, isReverted: true })).toEqual(["see", "fix", "merge", "revert"]);
});

it("is not taken in by another merge, or by branches without a difference", () => {
  expect(done({ merges: [{ source: "airlines_2014", destination: "main", outcome: "merged", merge_id: "m" }] })).toEqual([]);
  expect(done({ merges: [{ source: "delays", destination: "main", outcome: "refused", merge_id: "m" }] })).toEqual([]);
  expect(done({ isMergeable: true, isEmpty: true })).toEqual([]);
});
