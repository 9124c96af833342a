import { Link } from "react-router";

import type { PipelineSummary } from "../../api/resources";
import { pipelineAddress, pipelineRunAddress } from "../../model/addresses";
import { inOrder } from "../../model/reading-order";
import { rowsText, rowsWords } from "../../model/run-figures";
import { LaneDot } from "../../ui/branch-name";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { Time } from "../../ui/time";
import { DegradedBadge, RunState } from "./run-state";
import styles from "./pipeline-row.module.css";

/** One pipeline of a list: where its rows go and how, when it runs next, and how it went last. */
export function PipelineRow({ pipeline }: { pipeline: PipelineSummary }) {
  const { catalog, id, name, layer, database, table, branch, strategy, degraded, schedule, schedule_timezone, next_run_at, owner } = pipeline;
  return (
    <div className={styles.row}>
      <span className={styles.title}>
        <Link to={pipelineAddress(catalog, id)} className="ellipsis">
          {name}
        </Link>
        {layer ? <span className="badge">{layer}</span> : null}
      </span>
      <Muted isSmall className={styles.about}>
        {inOrder(`${database}.${table}`)} on <LaneDot branch={branch} /> {branch}
        {owner ? ` · ${owner}` : ""}
      </Muted>
      <span className={classes("row small", styles.strategy)}>
        <code>{strategy}</code>
        {degraded ? <DegradedBadge /> : null}
      </span>
      <Muted isSmall className={styles.schedule}>
        {schedule ? <code>{schedule}</code> : "no schedule"}
        {schedule && schedule_timezone !== "UTC" ? ` ${schedule_timezone}` : null}
        {next_run_at ? (
          <>
            {" "}
            · next <Time at={next_run_at} />
          </>
        ) : null}
      </Muted>
      <LastRun pipeline={pipeline} />
    </div>
  );
}

function LastRun({ pipeline: { catalog, id, last_run: run } }: { pipeline: PipelineSummary }) {
  if (!run) return <Muted isSmall className={styles.last}>never ran</Muted>;
  return (
    <span className={classes("row small", styles.last)}>
      <Link to={pipelineRunAddress(catalog, id, run.id)} aria-label={`Last run: ${run.state}${run.degraded ? ", degraded" : ""}`}>
        <RunState run={run} />
      </Link>
      <span className="number" title={rowsWords(run.metrics)}>
        {rowsText(run.metrics)}
      </span>
      <Muted>
        <Time at={run.finished_at ?? run.created_at} />
      </Muted>
    </span>
  );
}
