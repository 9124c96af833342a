import type { Task } from "../../queries/tasks";

/** The statement of a task that runs one. */
export function statementOf(task: Pick<Task, "parameters">): string {
  const { statement } = (task.parameters ?? {}) as { statement?: string };
  return statement ?? "";
}
