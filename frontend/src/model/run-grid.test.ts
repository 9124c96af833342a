import { describe, expect, it } from "vitest";

import { run } from "../testing/pipelines";
import { logBySteps, runGrid, stepSpans } from "./run-grid";

const at = (second: number) => `2026-01-02T00:00:0${second}Z`;
const step = (name: string, from: number, to: number | null) => ({ name, detail: "", started: at(from), finished: to === null ? null : at(to) });
const NOW = Date.parse(at(9));

describe("the grid of runs", () => {
  const first = run({ id: "a", steps: [step("render", 1, 2), step("execute", 2, 3), step("write", 3, 4)] });
  const checked = run({ id: "b", steps: [step("render", 1, 2), step("execute", 2, 3), step("check", 3, 4), step("write", 4, 5), step("check", 5, 7)], finished_at: at(7) });

  it("has the runs oldest first, and each step behind the one that it follows", () => {
    const grid = runGrid([checked, first], 30, NOW);
    expect(grid.runs.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(grid.steps).toEqual(["render", "execute", "check", "write", "check (2)"]);
    expect(grid.longest).toBe(6000);
  });

  it("leaves a cell empty where a run did not begin the step, and keeps apart what a run did twice", () => {
    const grid = runGrid([checked, first], 30, NOW);
    expect(grid.cells[2]).toEqual([undefined, { state: "succeeded", milliseconds: 1000 }]);
    expect(grid.cells[4]).toEqual([undefined, { state: "succeeded", milliseconds: 2000 }]);
  });

  it("puts the state of a run to its last step alone", () => {
    const failed = run({ state: "failed", steps: [step("render", 1, 2), step("execute", 2, 4)] });
    const states = runGrid([failed], 30, NOW).cells.map(([cell]) => cell?.state);
    expect(states).toEqual(["succeeded", "failed"]);
  });

  it("counts what runs until now", () => {
    const running = run({ state: "running", finished_at: null, steps: [step("render", 1, null)] });
    const grid = runGrid([running], 30, NOW);
    expect(grid.cells[0]?.[0]).toEqual({ state: "running", milliseconds: 8000 });
    expect(grid.longest).toBe(8000);
  });

  it("shows the newest runs where there are too many, and a run that waits without steps", () => {
    const waiting = run({ id: "c", state: "queued", started_at: null, finished_at: null });
    const grid = runGrid([waiting, checked, first], 2, NOW);
    expect(grid.runs.map(({ id }) => id)).toEqual(["b", "c"]);
    expect(grid.cells.map((cells) => cells[1])).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});

describe("the steps of a run in time", () => {
  it("lie where they began and are as long as they took", () => {
    expect(stepSpans([step("render", 0, 1), step("write", 1, 4)], at(4), NOW)).toEqual([
      { from: 0, length: 0.25 }, { from: 0.25, length: 0.75 },
    ]);
  });

  it("last until now while the run is at work", () => {
    expect(stepSpans([step("render", 1, 5), step("write", 5, null)], null, NOW)).toEqual([
      { from: 0, length: 0.5 }, { from: 0.5, length: 0.5 },
    ]);
  });

  it("are not drawn where they took no time, or there is none", () => {
    expect([stepSpans([], at(4), NOW), stepSpans([step("render", 1, 1)], at(1), NOW)]).toEqual([[], []]);
  });
});

describe("the log by steps", () => {
  const steps = [step("render", 1, 2), step("execute", 2, 4)];

  it("has an entry where its step had begun, and after the last step too", () => {
    const log = [{ time: "2026-01-02T00:00:01.000400+00:00" }, { time: at(3) }, { time: at(8) }];
    expect(logBySteps(steps, log).map(({ place, entries }) => [place, entries.length])).toEqual([[0, 1], [1, 2]]);
  });

  it("keeps what was said before the first step, and steps that said nothing", () => {
    expect(logBySteps(steps, [{ time: at(0) }]).map(({ place, entries }) => [place, entries.length])).toEqual([[-1, 1], [0, 0], [1, 0]]);
  });
});
