/** What a run did, in numbers that people ask for. */
import type { PipelineRun } from "../api/resources";
import { bytes, count, counted } from "./format";

export interface Figure {
  name: string;
  text: string;
}

const FIGURES: readonly { name: string; metric: string; format: (value: number) => string }[] = [
  { name: "rows inserted", metric: "rows_inserted", format: count },
  { name: "rows updated", metric: "rows_updated", format: count },
  { name: "rows deleted", metric: "rows_deleted", format: count },
  { name: "files added", metric: "files_added", format: count },
  { name: "files removed", metric: "files_removed", format: count },
  { name: "written", metric: "bytes_written", format: bytes },
];

export function figuresOf(metrics: PipelineRun["metrics"]): Figure[] {
  return FIGURES.map(({ name, metric, format }) => ({ name, text: format(metrics[metric] ?? 0) }));
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
