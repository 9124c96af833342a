/** What a run did, in numbers that people ask for. */
import type { PipelineRun } from "../api/resources";
import { bytes, count, counted, pluralised } from "./format";

export interface Figure {
  name: string;
  text: string;
}

const COUNTED = [
  ["row", "inserted"],
  ["row", "updated"],
  ["row", "deleted"],
  ["file", "added"],
  ["file", "removed"],
] as const;

export function figuresOf(metrics: PipelineRun["metrics"]): Figure[] {
  const figures = COUNTED.map(([unit, done]) => {
    const value = metrics[`${unit}s_${done}`] ?? 0;
    return { name: `${pluralised(value, unit)} ${done}`, text: count(value) };
  });
  return [...figures, { name: "written", text: bytes(metrics.bytes_written ?? 0) }];
}

/** All rows that a run inserted, updated or deleted. */
export function rowsTouched(metrics: PipelineRun["metrics"]): number {
  return (metrics.rows_inserted ?? 0) + (metrics.rows_updated ?? 0) + (metrics.rows_deleted ?? 0);
}

/** `+1,000 ~20 −3`, for people who look at many runs; nothing where nothing was written. */
export function rowsText(metrics: PipelineRun["metrics"]): string {
  const parts = [
    ["+", metrics.rows_inserted ?? 0],
    ["~", metrics.rows_updated ?? 0],
    ["−", metrics.rows_deleted ?? 0],
  ] as const;
  return parts
    .filter(([, value]) => value > 0)
    .map(([sign, value]) => `${sign}${count(value)}`)
    .join(" ");
}

/** The same for a screen reader. */
export function rowsWords(metrics: PipelineRun["metrics"]): string {
  const words = (["inserted", "updated", "deleted"] as const)
    .map((done) => ({ done, rows: metrics[`rows_${done}`] ?? 0 }))
    .filter(({ rows }) => rows > 0);
  return words.length ? words.map(({ done, rows }) => `${counted(rows, "row")} ${done}`).join(", ") : "no rows written";
}

/** Runs that ended well, oldest first: what plots are drawn of. */
export function plottedRuns(runs: readonly PipelineRun[]): PipelineRun[] {
  return runs.filter(({ state }) => state === "succeeded").toReversed();
}

/** How long a run worked, in milliseconds. */
export function runMilliseconds({ started_at, finished_at }: Pick<PipelineRun, "started_at" | "finished_at">): number {
  return started_at && finished_at ? Math.max(0, Date.parse(finished_at) - Date.parse(started_at)) : 0;
}
