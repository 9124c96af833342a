import { isFinished, type Task } from "../../queries/tasks";
import { Elapsed } from "../../ui/time";
import "../../styles/tasks.css";

/** Steps with their times, as they happen. */
export function TaskSteps({ task }: { task: Pick<Task, "state" | "progress" | "steps" | "message" | "finished_at"> }) {
  const percent = Math.round(task.progress * 100);
  const ended = isFinished(task.state);
  return (
    <div className="stack tight">
      <ol className="steps" aria-label="Steps" aria-live="polite">
        {task.steps.length === 0 && !ended ? (
          <li>
            <span className="working" aria-hidden="true">
              ○
            </span>
            <span>{task.state === "queued" ? "waits for a free worker" : "begins"}</span>
          </li>
        ) : null}
        {task.steps.map((step, place) => {
          const isDone = step.finished !== null || ended;
          return (
            <li key={place}>
              <span className={isDone ? "done" : "working"} aria-hidden="true">
                {isDone ? "✓" : "◐"}
              </span>
              <span>
                {step.name} <span className="muted">{step.detail}</span>
              </span>
              <span className="number small muted">
                <Elapsed from={step.started} to={step.finished ?? task.finished_at ?? null} />
              </span>
            </li>
          );
        })}
      </ol>
      {!ended && percent > 0 ? (
        <div className="bar-line" role="progressbar" aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100} aria-label="Progress">
          <span style={{ width: `${percent}%` }} />
        </div>
      ) : null}
      {task.message && !ended && task.message !== task.steps.at(-1)?.name ? <p className="small muted">{task.message}</p> : null}
    </div>
  );
}
