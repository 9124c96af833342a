import { describe, expect, it } from "vitest";

import { expectationText, progressOf, type Expected } from "./expectation";

const START = "2026-01-02T12:00:00Z";
const after = (seconds: number) => Date.parse(START) + 1000 * seconds;
const step = { name: "plan", detail: "", started: START, finished: null };
const task = (given: Partial<Expected> = {}): Expected => ({
  state: "running", progress: 0, steps: [step], started_at: START, expected: { seconds: 40, steps: 3, runs: 5 }, ...given,
});

describe("how far a task is", () => {
  it("is what the task says, before what earlier ones took", () => {
    expect(progressOf(task({ progress: 0.3 }), after(39))).toEqual({ share: 0.3, isAbout: false });
  });

  it("is about the share of the time that earlier ones took, and never all of it", () => {
    expect(progressOf(task(), after(10))).toEqual({ share: 0.25, isAbout: true });
    expect(progressOf(task(), after(400))).toEqual({ share: 0.95, isAbout: true });
  });

  it("is not known without an earlier one, or before it begins", () => {
    expect([progressOf(task({ expected: null }), after(10)), progressOf(task({ state: "queued" }), after(10))]).toEqual([undefined, undefined]);
  });
});

describe("when a task may end", () => {
  it("is said with about, and by how many runs", () => {
    expect(expectationText(task(), after(10))).toMatch(/^Step 1 of about 3\. It ends in about 30\.0 s, at \d\d:\d\d, by the last 5 runs\.$/);
    expect(expectationText(task({ expected: { seconds: 40, steps: 3, runs: 1 } }), after(10))).toMatch(/by the last run\.$/);
  });

  it("says that it takes longer", () => {
    expect(expectationText(task(), after(60))).toBe("Step 1 of about 3. It takes longer than the last 5 runs, about 40.0 s.");
  });

  it("says of a task that waits how long it takes then", () => {
    expect(expectationText(task({ state: "queued", started_at: null, steps: [] }), after(1))).toBe("It takes about 40.0 s once it begins, by the last 5 runs.");
  });

  it("counts no steps of a plan where there are more than the last run had", () => {
    expect(expectationText(task({ steps: [step, step, step, step] }), after(60))).toBe("It takes longer than the last 5 runs, about 40.0 s.");
    expect(expectationText(task({ expected: null }), after(1))).toBe("");
  });
});
