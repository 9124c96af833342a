import { isFinished, type Task } from "../../queries/tasks";
import { expectationText, progressOf, type Expected } from "../../model/expectation";
import { stepSpans, stepState } from "../../model/run-grid";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { Elapsed, useNow } from "../../ui/time";
import { LOOKS } from "./task-badge";
import styles from "./task-steps.module.css";

/** How a step stands, as a sign; its word stands beside it. */
export function StepSign({ state, isWorking = false }: { state: keyof typeof LOOKS; isWorking?: boolean }) {
  return (
    <span className={classes(styles.sign, isWorking && "working")} data-state={state} aria-hidden="true">
      {LOOKS[state].symbol}
    </span>
  );
}

/** Steps with their times, as they happen; a bar shows where each lies in the time of all. */
export function TaskSteps({ task }: { task: Expected & Pick<Task, "message" | "finished_at"> }) {
  const ended = isFinished(task.state);
  const now = useNow(ended ? Number.POSITIVE_INFINITY : 1000);
  const progress = ended ? undefined : progressOf(task, now);
  const percent = Math.round((progress?.share ?? 0) * 100);
  const expectation = ended ? "" : expectationText(task, now);
  const spans = stepSpans(task.steps, task.finished_at ?? null, now);
  return (
    <div className="stack tight">
      <ol className={styles.steps} aria-label="Steps" aria-live="polite">
        {task.steps.length === 0 && !ended ? (
          <li>
            <span className="working" aria-hidden="true">
              ○
            </span>
            <span>{task.state === "queued" ? "waits for a free worker" : "begins"}</span>
          </li>
        ) : null}
        {task.steps.map((step, place) => {
          const state = stepState(task, place);
          const span = spans[place];
          return (
            <li key={place}>
              <StepSign state={state} isWorking={state === "running"} />
              <span>
                {step.name} <Muted>{step.detail}</Muted>
                {state === "succeeded" || state === "running" ? null : <span className="visually-hidden"> {state}</span>}
              </span>
              <span className={styles.time} aria-hidden="true">
                {span ? <span data-state={state} style={{ left: `${span.from * 100}%`, width: `${span.length * 100}%` }} /> : null}
              </span>
              <Muted isSmall className="number">
                <Elapsed from={step.started} to={step.finished ?? task.finished_at ?? null} />
              </Muted>
            </li>
          );
        })}
      </ol>
      {progress ? (
        <div className="row nowrap-row">
          <div className="bar-line grow" role="progressbar" aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100} aria-label="Progress">
            <span style={{ width: `${percent}%` }} />
          </div>
          <Muted isSmall className="number">
            {progress.isAbout ? "about " : ""}
            {percent}%
          </Muted>
        </div>
      ) : null}
      {expectation ? <Muted as="p" isSmall>{expectation}</Muted> : null}
      {task.message && !ended && task.message !== task.steps.at(-1)?.name ? <Muted as="p" isSmall>{task.message}</Muted> : null}
    </div>
  );
}
