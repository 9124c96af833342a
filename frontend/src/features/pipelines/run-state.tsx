import type { PipelineRun } from "../../api/resources";
import { TaskBadge } from "../tasks/task-badge";

/** How a run stands, and whether it fell back to another strategy. */
export function RunState({ run }: { run: Pick<PipelineRun, "state" | "degraded"> }) {
  return (
    <span className="row nowrap-row">
      <TaskBadge state={run.state} />
      {run.degraded ? <DegradedBadge /> : null}
    </span>
  );
}

/** What the strategy requires is missing: the table is replaced as a whole instead. */
export function DegradedBadge() {
  return (
    <span className="badge amber" title="Something that the strategy requires is missing: a run falls back to full_refresh">
      <span aria-hidden="true">▽</span> degraded
    </span>
  );
}
