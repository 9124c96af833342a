/** How a commit is named in a history. */
import { count } from "./format";

interface Named {
  operation: string;
  /** The pipeline and strategy of a run; "" of another commit. */
  pipeline: string;
}

/** What was done: a run of a pipeline by its name, another commit by its statement. */
export function operationName({ operation, pipeline }: Named): string {
  return pipeline ? `PIPELINE ${pipeline}` : operation;
}

interface Operation {
  metrics: Record<string, number>;
}

/** `+5 ~1 −10`: rows that came, changed and went; "" where some operation is not among those given. */
export function rowChanges(operations: readonly Operation[], operationCount: number): string {
  if (operations.length < operationCount) return "";
  const sum = (name: string) => operations.reduce((all, { metrics }) => all + (metrics[name] ?? 0), 0);
  const signs = [["+", "rows_inserted"], ["~", "rows_updated"], ["−", "rows_deleted"]] as const;
  return signs.flatMap(([sign, name]) => (sum(name) ? [`${sign}${count(sum(name))}`] : [])).join(" ");
}
