import type { Task } from "../../queries/tasks";

/** The statement of a task that runs one. */
export function statementOf(task: Pick<Task, "parameters">): string {
  const { statement } = (task.parameters ?? {}) as { statement?: string };
  return statement ?? "";
}

/** What a task does: its statement, or its kind with the merge request that it is about. */
export function taskTitle(task: Pick<Task, "parameters" | "kind">): string {
  const { number, catalog, sample } = (task.parameters ?? {}) as { number?: number; catalog?: string; sample?: string };
  if (sample !== undefined) return `Load the sample ${sample}`;
  const about = number === undefined ? "" : ` #${String(number)}${catalog === undefined ? "" : ` of ${catalog}`}`;
  return statementOf(task) || `${task.kind}${about}`;
}

const LONGEST = 60;

/** The same in one short line, for the head of a page and the title of a window. */
export function shortTitle(task: Pick<Task, "parameters" | "kind">): string {
  const line = taskTitle(task).replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).trimEnd()}…` : line;
}
