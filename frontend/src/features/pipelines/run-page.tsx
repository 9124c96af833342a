import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";

import { Problem } from "../../api/problem";
import type { Finding, Pipeline, PipelineRunDetail } from "../../api/resources";
import { branchAddress, compareAddress, mergeAddress, pipelineAddress, pipelineRunAddress, tableAddress, taskAddress } from "../../model/addresses";
import { mistakesIn } from "../../model/mistakes";
import { inOrder } from "../../model/reading-order";
import { figuresOf } from "../../model/run-figures";
import { usePipeline, usePipelineRun } from "../../queries/pipelines";
import { refresh } from "../../queries/refresh";
import { isFinished, isRetriable, useCancelTask, useRetryTask, useTask } from "../../queries/tasks";
import { Button, LinkButton } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Failure, Loaded } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { Elapsed, Time } from "../../ui/time";
import { useChosenTab } from "../../ui/use-chosen-tab";
import { TaskSteps } from "../tasks/task-steps";
import { ConfigurationTable } from "./configuration-table";
import { TextFailure } from "./mistake-list";
import { RunLog } from "./run-log";
import { RunState } from "./run-state";
import styles from "./rendered.module.css";

const AddColumnsDialog = lazy(() => import("./add-columns-dialog"));

/** The strategy fills at most three columns. */
const ADD_TEXTS = ["Add the column …", "Add the two columns …", "Add the three columns …"];

const TABS = [
  { key: "log", label: "Log" },
  { key: "sql", label: "SQL" },
  { key: "configuration", label: "Configuration" },
] as const;

/** One run: its phases while they happen, and what they came to. */
export function RunPage() {
  const { pipelineId = "", runId = "" } = useParams();
  const id = Number(pipelineId) || 0;
  const pipeline = usePipeline(id);
  const run = usePipelineRun(id, runId);
  const both = { data: pipeline.data && run.data ? { pipeline: pipeline.data.pipeline, run: run.data } : undefined, error: pipeline.error ?? run.error };
  const refetch = () => Promise.all([pipeline.refetch(), run.refetch()]);
  return (
    <div className="page">
      <Loaded query={{ ...both, refetch }} label="the run" heading="Run of a pipeline">
        {(found) => <RunView key={found.run.id} {...found} />}
      </Loaded>
    </div>
  );
}

function RunView({ pipeline, run }: { pipeline: Pipeline; run: PipelineRunDetail }) {
  useArrival(pipeline.catalog, run.state);
  const isEnded = isFinished(run.state);
  return (
    <>
      <RunHead pipeline={pipeline} run={run} />
      <RunFacts pipeline={pipeline} run={run} />
      {run.degraded ? <Degraded run={run} /> : null}
      {run.state === "failed" || run.state === "lost" ? <RunFailure pipeline={pipeline} run={run} /> : null}
      {run.state === "succeeded" ? <Figures run={run} /> : null}
      <Panel title={isEnded ? "What it did" : "What is happening"} padded>
        <TaskSteps task={run} />
        {isEnded ? null : <Muted as="p" isSmall>You can close this page. Cancel works until the commit and changes nothing.</Muted>}
      </Panel>
      <RunTabs run={run} />
    </>
  );
}

/** When a run that was watched ends, what it changed is asked for anew. */
function useArrival(catalog: string, state: PipelineRunDetail["state"]) {
  const queries = useQueryClient();
  const wasRunning = useRef(false);
  useEffect(() => {
    if (!isFinished(state)) wasRunning.current = true;
    else if (wasRunning.current) {
      wasRunning.current = false;
      void refresh(queries, ["catalog", catalog]);
    }
  }, [state, catalog, queries]);
}

function RunHead({ pipeline, run }: { pipeline: Pipeline; run: PipelineRunDetail }) {
  const navigate = useNavigate();
  const cancel = useCancelTask();
  const retry = useRetryTask();
  const failure = cancel.error ?? retry.error;
  const again = () =>
    retry.mutate(run.id, { onSuccess: (task) => void navigate(pipelineRunAddress(pipeline.catalog, pipeline.id, task.id)) });
  const isStopping = cancel.isPending || cancel.isSuccess;
  return (
    <>
      <PageHead
        title={`Run of ${pipeline.name}`}
        actions={
          <>
            {isFinished(run.state) ? null : (
              <Button look="danger" disabled={isStopping} onClick={() => cancel.mutate(run.id)}>
                {isStopping ? "Stopping …" : "Cancel"}
              </Button>
            )}
            {isRetriable(run.state) ? (
              <Button look="primary" disabled={retry.isPending} onClick={again}>
                {retry.isPending ? "Starting …" : "Retry"}
              </Button>
            ) : null}
          </>
        }
      >
        <span className="row">
          Run of <Link to={pipelineAddress(pipeline.catalog, pipeline.id, "runs")}>{pipeline.name}</Link> <RunState run={run} />
        </span>
      </PageHead>
      {failure ? <Failure error={failure} /> : null}
    </>
  );
}

function RunFacts({ pipeline, run }: { pipeline: Pipeline; run: PipelineRunDetail }) {
  const { catalog, branch, database, table, id } = pipeline;
  const isPublished = run.state === "succeeded" && run.configuration?.fields.publish?.value === "checked";
  return (
    <Muted as="p" isSmall className="row">
      <span>
        {run.strategy ? <code>{run.strategy}</code> : null} into{" "}
        <Link to={tableAddress(catalog, branch, database, table)}>
          {inOrder(`${database}.${table}`)}
        </Link>{" "}
        on <Link to={branchAddress(catalog, branch)}>{branch}</Link>
      </span>
      <Link to={`${pipelineAddress(catalog, id, "versions")}&version=${run.version}`}>version {run.version}</Link>
      <span>
        {run.trigger === "schedule" && run.due_at ? (
          <>
            due <Time at={run.due_at} />
          </>
        ) : (
          <>
            {run.trigger === "retry" ? "retried" : "started"}
            {run.created_by ? ` by ${run.created_by}` : ""}, <Time at={run.created_at} />
          </>
        )}
      </span>
      {run.started_at ? (
        <span>
          took <Elapsed from={run.started_at} to={run.finished_at} />
        </span>
      ) : null}
      {run.committed_version === null ? null : (
        <Link to={`${branchAddress(catalog, branch)}?tab=history&commit=${run.committed_version}`}>
          {branch} at v{run.committed_version}
        </Link>
      )}
      {isPublished ? <MergeLink runId={run.id} /> : null}
      <Link to={taskAddress(run.id)}>its task</Link>
    </Muted>
  );
}

/** A run that was published after checks was merged: the audit says how. */
function MergeLink({ runId }: { runId: string }) {
  const { merge_id: mergeId } = (useTask(runId).data?.result ?? {}) as { merge_id?: string };
  return mergeId ? <Link to={mergeAddress(mergeId)}>the merge that published it</Link> : null;
}

function Degraded({ run }: { run: PipelineRunDetail }) {
  return (
    <div className="notice amber">
      <span className="symbol" aria-hidden="true">
        ▽
      </span>
      <strong>Degraded: it ran as {run.strategy ?? "full_refresh"}</strong>
      {run.configuration?.warnings.map((warning) => <p key={warning}>{warning}</p>)}
    </div>
  );
}

function RunFailure({ pipeline, run }: { pipeline: Pipeline; run: PipelineRunDetail }) {
  const error = (run.error ?? {}) as Record<string, unknown>;
  const conflicts = (error.conflicts ?? []) as Finding[];
  const [isAdding, setAdding] = useState(false);
  const addition = typeof error.statement === "string" ? ADD_TEXTS[mistakesIn(error).length - 1] : undefined;
  return (
    <>
      <TextFailure error={new Problem(error, Number(error.status ?? 500))} />
      {conflicts.length ? (
        <Panel title="What others did meanwhile" padded>
          <ul className="stack tight">
            {conflicts.map((conflict, place) => (
              <li key={place}>
                <strong>{conflict.object}</strong> {conflict.message} <Muted>{conflict.remedy}</Muted>
              </li>
            ))}
          </ul>
        </Panel>
      ) : null}
      <Suspense>{isAdding ? <AddColumnsDialog pipeline={pipeline} statement={String(error.statement)} onClose={() => setAdding(false)} /> : null}</Suspense>
      <p className="row">
        {addition ? (
          <Button onClick={() => setAdding(true)}>
            {addition}
          </Button>
        ) : null}
        <LinkButton to={pipelineAddress(pipeline.catalog, pipeline.id)}>
          Edit the pipeline
        </LinkButton>
        {conflicts.length ? (
          <LinkButton to={compareAddress(pipeline.catalog)}>
            Compare branches
          </LinkButton>
        ) : null}
      </p>
    </>
  );
}

function Figures({ run }: { run: PipelineRunDetail }) {
  return (
    <dl className="five" aria-label="What it wrote">
      {figuresOf(run.metrics).map(({ name, text }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function RunTabs({ run }: { run: PipelineRunDetail }) {
  const [chosen, choose] = useChosenTab(TABS);
  return (
    <Panel>
      <Tabs tabs={TABS} chosen={chosen} onChoose={choose} label="What the phases said">
        {chosen === "log" ? <RunLog run={run} /> : null}
        {chosen === "sql" ? <RenderedSql sql={run.sql} /> : null}
        {chosen === "configuration" ? (
          <div className="inside">
            {run.configuration ? <ConfigurationTable configuration={run.configuration} /> : <Muted as="p">It is not resolved yet.</Muted>}
          </div>
        ) : null}
      </Tabs>
    </Panel>
  );
}

function RenderedSql({ sql }: { sql: string }) {
  if (!sql) return <Muted as="p" className="inside">The template is not rendered yet.</Muted>;
  return (
    <pre className={classes("inside", styles.rendered)} role="region" aria-label="Rendered SQL" tabIndex={0}>
      <code>{sql}</code>
    </pre>
  );
}
