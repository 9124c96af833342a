/** How far a task is, and when it may end, by what earlier ones took. */
import type { components } from "../api/schema";
import { counted, duration } from "./format";

type Task = components["schemas"]["TaskAnswer"];
export type Expected = Pick<Task, "state" | "progress" | "steps" | "started_at"> & Partial<Pick<Task, "expected">>;

/** Earlier tasks say nothing of the end of this one: the bar stays short of it. */
const MOST_ABOUT = 0.95;

export interface Progress {
  /** From 0 to 1. */
  share: number;
  /** Whether it is guessed by the time that earlier tasks took. */
  isAbout: boolean;
}

/** What the task says itself, else the share of the time that earlier ones took; undefined where neither is known. */
export function progressOf(task: Expected, now: number): Progress | undefined {
  if (task.progress > 0) return { share: task.progress, isAbout: false };
  const { expected, started_at } = task;
  if (!expected || !started_at || task.state !== "running" || expected.seconds <= 0) return undefined;
  return { share: Math.min(MOST_ABOUT, elapsed(started_at, now) / (1000 * expected.seconds)), isAbout: true };
}

/** In a sentence; nothing where no earlier task did the same. */
export function expectationText(task: Expected, now: number): string {
  const { expected, started_at, state } = task;
  if (!expected) return "";
  const took = duration(1000 * expected.seconds);
  const by = expected.runs === 1 ? "the last run" : `the last ${counted(expected.runs, "run")}`;
  if (state === "queued" || !started_at) return `It takes about ${took} once it begins, by ${by}.`;
  const left = 1000 * expected.seconds - elapsed(started_at, now);
  const steps = expected.steps >= task.steps.length && task.steps.length > 0 ? `Step ${task.steps.length} of about ${expected.steps}. ` : "";
  if (left < 0) return `${steps}It takes longer than ${by}, about ${took}.`;
  return `${steps}It ends in about ${duration(Math.max(1000, left))}, at ${clock(now + left)}, by ${by}.`;
}

function elapsed(from: string, now: number): number {
  return Math.max(0, now - Date.parse(from));
}

function clock(at: number): string {
  return new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(at);
}
