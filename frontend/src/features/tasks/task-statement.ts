import type { Task } from "../../queries/tasks";

/** The statement of a task that runs one. */
export function statementOf(task: Pick<Task, "parameters">): string {
  const { statement } = (task.parameters ?? {}) as { statement?: string };
  return statement ?? "";
}

/** What a task does: its statement, or its kind with the merge request that it is about. */
export function taskTitle(task: Pick<Task, "parameters" | "kind">): string {
  const { number, catalog } = (task.parameters ?? {}) as { number?: number; catalog?: string };
  const about = number === undefined ? "" : ` #${String(number)}${catalog === undefined ? "" : ` of ${catalog}`}`;
  return statementOf(task) || `${task.kind}${about}`;
}
