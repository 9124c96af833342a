import { useEffect, useRef } from "react";
import { useSearchParams } from "react-router";

import type { PipelineRunDetail } from "../../api/resources";
import { logBySteps, stepNames, stepState } from "../../model/run-grid";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { Elapsed } from "../../ui/time";
import { StepSign } from "../tasks/task-steps";
import styles from "./run-log.module.css";

const SIGNS = { info: "·", warning: "▽", error: "✕" } as const;
type Entry = PipelineRunDetail["log"][number];

/** What was written in each step. The address may name a step, which is marked and brought into view. */
export function RunLog({ run }: { run: PipelineRunDetail }) {
  const [query] = useSearchParams();
  const asked = query.get("step");
  if (run.steps.length === 0 && run.log.length === 0) return <Muted as="p" className="inside">Nothing was written yet.</Muted>;
  const names = stepNames(run.steps);
  return (
    <ol className={classes("inside", styles.log)} aria-label="Log by steps">
      {logBySteps(run.steps, run.log).map(({ place, entries }) => (
        <StepLog key={place} run={run} place={place} entries={entries} isAsked={asked !== null && names[place] === asked} />
      ))}
    </ol>
  );
}

function StepLog({ run, place, entries, isAsked }: { run: PipelineRunDetail; place: number; entries: readonly Entry[]; isAsked: boolean }) {
  const step = run.steps[place];
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isAsked) item.current?.scrollIntoView({ block: "center" });
  }, [isAsked]);
  const state = stepState(run, place);
  return (
    <li ref={item} aria-current={isAsked ? "step" : undefined}>
      {step ? (
        <p className="row">
          <StepSign state={state} />
          <strong>{step.name}</strong>
          <Muted isSmall>
            <Elapsed from={step.started} to={step.finished ?? run.finished_at} />
            {entries.length ? "" : ", no log"}
          </Muted>
        </p>
      ) : null}
      {entries.length ? (
        <ol>
          {entries.map((entry, at) => (
            <li key={at} data-level={entry.level}>
              <time dateTime={entry.time} className="muted mono">
                {entry.time.slice(11, 23)}
              </time>
              <span aria-hidden="true">{SIGNS[entry.level]}</span>
              <span>
                {entry.level === "info" ? null : <span className="visually-hidden">{entry.level}: </span>}
                {entry.phase === step?.name ? null : <Muted>{entry.phase} </Muted>}
                {entry.message}
              </span>
            </li>
          ))}
        </ol>
      ) : null}
    </li>
  );
}
