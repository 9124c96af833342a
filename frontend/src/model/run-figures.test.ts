import { describe, expect, it } from "vitest";

import { run } from "../testing/pipelines";
import { figuresOf, plottedRuns, rowsText, rowsTouched, rowsWords, runMilliseconds } from "./run-figures";

describe("the figures of a run", () => {
  it("are rows, files and bytes, with 0 for what was not counted", () => {
    expect(figuresOf(run().metrics).map(({ name, text }) => `${text} ${name}`)).toEqual([
      "1,200 rows inserted", "30 rows updated", "0 rows deleted", "2 files added", "1 file removed", "4.10 kB written",
    ]);
    expect(figuresOf({}).every(({ text }) => text.startsWith("0"))).toBe(true);
  });

  it("are short in lists, and in words for screen readers", () => {
    expect([rowsText(run().metrics), rowsText({})]).toEqual(["+1,200 ~30", ""]);
    expect([rowsWords(run().metrics), rowsWords({})]).toEqual(["1,200 rows inserted, 30 rows updated", "no rows written"]);
    expect(rowsTouched(run().metrics)).toBe(1230);
  });
});

describe("plots over runs", () => {
  it("show those that ended well, oldest first", () => {
    const runs = [run({ id: "c" }), run({ id: "b", state: "failed" }), run({ id: "a" })];
    expect(plottedRuns(runs).map(({ id }) => id)).toEqual(["a", "c"]);
  });

  it("know how long a run worked", () => {
    expect([runMilliseconds(run()), runMilliseconds(run({ finished_at: null }))]).toEqual([3000, 0]);
  });
});
