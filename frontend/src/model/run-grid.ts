/** Runs beside each other: a column for each run, a row for each step. */
import type { PipelineRun } from "../api/resources";
import { runMilliseconds } from "./run-figures";

type Step = PipelineRun["steps"][number];
type StepState = Exclude<PipelineRun["state"], "queued">;

export interface StepCell {
  state: StepState;
  milliseconds: number;
}

export interface RunGrid {
  /** Oldest first. */
  runs: readonly PipelineRun[];
  /** Every step that one of the runs began, in the order of the runs. */
  steps: readonly string[];
  /** By step and run; undefined where the run did not begin the step. */
  cells: readonly (readonly (StepCell | undefined)[])[];
  /** Of the run that took longest. */
  longest: number;
}

/** `newestFirst` as lists answer; `now` ends what still runs. */
export function runGrid(newestFirst: readonly PipelineRun[], most: number, now: number): RunGrid {
  const runs = newestFirst.slice(0, most).toReversed();
  const steps = stepsInOrder(runs);
  const cells = steps.map((name) => runs.map((run) => cellOf(run, name, now)));
  return { runs, steps, cells, longest: Math.max(0, ...runs.map((run) => runTook(run, now))) };
}

/** Until now while the run is at work. */
export function runTook(run: PipelineRun, now: number): number {
  return run.started_at && !run.finished_at ? Math.max(0, now - Date.parse(run.started_at)) : runMilliseconds(run);
}

/** The steps of a run by names of their own: what a run does again later has a number behind its name. */
export function stepNames(steps: readonly Pick<Step, "name">[]): string[] {
  const times = new Map<string, number>();
  return steps.map(({ name }) => {
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return time === 1 ? name : `${name} (${time})`;
  });
}

/** A step that the runs before did not have stands behind the one that it follows. */
function stepsInOrder(runs: readonly PipelineRun[]): string[] {
  const found: string[] = [];
  for (const { steps } of runs) {
    let before = -1;
    for (const name of stepNames(steps)) {
      const known = found.indexOf(name);
      if (known < 0) found.splice(before + 1, 0, name);
      before = known < 0 ? before + 1 : Math.max(before, known);
    }
  }
  return found;
}

function cellOf(run: PipelineRun, name: string, now: number): StepCell | undefined {
  const place = stepNames(run.steps).indexOf(name);
  if (place < 0) return undefined;
  return { state: stepState(run, place), milliseconds: stepTook(run.steps[place], run.finished_at, now) };
}

function stepTook(step: Step | undefined, runEnd: string | null, now: number): number {
  if (!step) return 0;
  const end = step.finished ?? runEnd;
  return Math.max(0, (end === null ? now : Date.parse(end)) - Date.parse(step.started));
}

/** From the first step to the end of the last, in milliseconds; undefined while one is at work, and where there is none. */
export function stepsTook(steps: readonly Step[]): number | undefined {
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last?.finished) return undefined;
  return Date.parse(last.finished) - Date.parse(first.started);
}

/** Steps follow each other: only in the last one a run can be at work, or have ended without success. */
export function stepState(run: Pick<PipelineRun, "state" | "steps">, place: number): StepState {
  if (place < run.steps.length - 1 || run.state === "queued") return "succeeded";
  return run.state;
}

export interface StepSpan {
  /** Shares of the time from the first step to the end, from 0 to 1. */
  from: number;
  length: number;
}

/** Where each step lies in the time of all of them; nothing where they took no time. */
export function stepSpans(steps: readonly Step[], runEnd: string | null, now: number): StepSpan[] {
  const first = steps[0];
  if (!first) return [];
  const begin = Date.parse(first.started);
  const end = runEnd === null ? now : Math.max(...steps.map((step) => Date.parse(step.finished ?? runEnd)));
  const whole = end - begin;
  if (whole <= 0) return [];
  return steps.map((step) => ({
    from: Math.min(1, Math.max(0, (Date.parse(step.started) - begin) / whole)),
    length: Math.min(1, stepTook(step, runEnd, now) / whole),
  }));
}

/** The log by the steps in which it was written. An entry belongs to the last step that had begun. */
export function logBySteps<Entry extends { time: string }>(steps: readonly Step[], log: readonly Entry[]): { place: number; entries: Entry[] }[] {
  const groups = steps.map((_, place) => ({ place, entries: [] as Entry[] }));
  const before = { place: -1, entries: [] as Entry[] };
  for (const entry of log) {
    const at = Date.parse(entry.time);
    (groups.findLast(({ place }) => Date.parse(steps[place]?.started ?? "") <= at) ?? before).entries.push(entry);
  }
  return before.entries.length ? [before, ...groups] : groups;
}
