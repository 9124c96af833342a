import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link, useLocation, useNavigate, useParams } from "react-router";

import type { Finding } from "../../api/resources";
import { Problem } from "../../api/problem";
import { branchAddress, catalogAddress, compareAddress, importAddress, mergeAddress, pipelineAddress, pipelineRunAddress, sqlAddress, tableAddress, taskAddress } from "../../model/addresses";
import { count, counted } from "../../model/format";
import { inOrder } from "../../model/reading-order";
import { refresh } from "../../queries/refresh";
import { isFinished, isRetriable, useCancelTask, useRetryTask, useTask, type Task } from "../../queries/tasks";
import { BranchLink } from "../../ui/branch-name";
import { Button, LinkButton } from "../../ui/button";
import { Copyable } from "../../ui/copyable";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { ResultGrid } from "../../ui/result-grid";
import { Failure, Loaded } from "../../ui/states";
import { Elapsed, Time } from "../../ui/time";
import { JUST_STARTED } from "./just-started";
import { TaskBadge } from "./task-badge";
import { shortTitle, statementOf, taskTitle } from "./task-statement";
import { TaskSteps } from "./task-steps";
import styles from "./task-page.module.css";

const IMPORT = "import";
const PIPELINE = "pipeline";
const SAMPLE = "sample";

interface Result {
  catalog?: string;
  merge_id?: string;
  columns?: { name: string; type: string }[];
  rows?: unknown[][];
  version?: number | null;
  metrics?: Record<string, number>;
}

/** A page anew for each task: what was seen of one, as before a retry, says nothing of the next. */
export function TaskPage() {
  const { taskId = "" } = useParams();
  return <WatchedTask key={taskId} taskId={taskId} />;
}

function WatchedTask({ taskId }: { taskId: string }) {
  const task = useTask(taskId);
  useArrival(task.data);
  return (
    <div className="page">
      <Loaded query={task} label="the task" heading="Task">
        {(found) => <TaskView task={found} />}
      </Loaded>
    </div>
  );
}

/** When a task that was started or watched here ends: what it changed is asked for anew. A merge leads on to its audit
 * page, and a sample to its catalog. */
function useArrival(task: Task | undefined) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const location = useLocation();
  const wasRunning = useRef(location.state === JUST_STARTED);
  const state = task?.state;
  const next = task === undefined ? undefined : leadsTo(task);
  useEffect(() => {
    if (state === undefined) return;
    if (!isFinished(state)) {
      wasRunning.current = true;
      return;
    }
    if (!wasRunning.current) return;
    wasRunning.current = false;
    void refresh(queries, ["catalog"]);
    void refresh(queries, ["catalogs"]);
    if (state === "succeeded" && next) void navigate(next, { replace: true });
  }, [state, next, navigate, queries]);
}

/** Where what the task did is looked at. */
function leadsTo({ kind, result }: Task): string | undefined {
  const { merge_id: mergeId, catalog } = (result ?? {}) as Result;
  if (mergeId) return mergeAddress(mergeId);
  return kind === SAMPLE && catalog ? catalogAddress(catalog) : undefined;
}

function TaskView({ task }: { task: Task }) {
  const cancel = useCancelTask();
  const retry = useRetryTask();
  const failure = cancel.error ?? retry.error;
  const title = taskTitle(task);
  const finished = isFinished(task.state);
  const { catalog, branch } = placeOf(task);
  const where = branch ? ` on ${branch}` : "";
  return (
    <>
      <PageHead
        title={`${shortTitle(task)}${where}`}
        actions={
          <>
            {finished ? null : <CancelButton cancel={cancel} task={task} />}
            {isRetriable(task.state) ? <RetryButton retry={retry} task={task} /> : null}
          </>
        }
      >
        <span className="row">
          <span className="visually-hidden">Task: </span>
          <span className={styles.name}>{shortTitle(task)}</span> <TaskBadge state={task.state} />
        </span>
      </PageHead>
      {catalog && branch ? (
        <Muted as="p" isSmall className="row">
          on <BranchLink catalog={catalog} branch={branch} /> of <bdi>{catalog}</bdi>
        </Muted>
      ) : null}
      {failure ? <Failure error={failure} /> : null}
      <Panel title={finished ? "What it did" : "What is happening"} padded>
        <div className="stack">
          <pre>
            <code>{title}</code>
          </pre>
          <TaskSteps task={task} />
          {finished ? null : (
            <Muted as="p" isSmall>You can close this page. Cancel works until the commit and changes nothing.</Muted>
          )}
        </div>
      </Panel>
      <Outcome task={task} />
      <Facts task={task} />
    </>
  );
}

function CancelButton({ cancel, task }: { cancel: ReturnType<typeof useCancelTask>; task: Task }) {
  return (
    <Button
      look="danger"
      disabled={task.cancel_requested || cancel.isPending}
      onClick={() => cancel.mutate(task.id)}
    >
      {task.cancel_requested ? "Stopping …" : "Cancel"}
    </Button>
  );
}

function RetryButton({ retry, task }: { retry: ReturnType<typeof useRetryTask>; task: Task }) {
  const navigate = useNavigate();
  const again = () =>
    retry.mutate(task.id, { onSuccess: (made) => void navigate(taskAddress(made.id), { state: JUST_STARTED }) });
  return (
    <Button look="primary" disabled={retry.isPending} onClick={again}>
      {retry.isPending ? "Starting …" : "Retry"}
    </Button>
  );
}

function Outcome({ task }: { task: Task }) {
  const result = (task.result ?? {}) as Result;
  if (task.state === "failed" || task.state === "lost") return <TaskFailure task={task} />;
  if (task.state !== "succeeded") return null;
  if (result.merge_id) {
    return (
      <div className="notice fine">
        <span className="symbol" aria-hidden="true">
          ✓
        </span>
        <p>
          The merge is done. <Link to={mergeAddress(result.merge_id)}>What changed, and how to revert it</Link>
        </p>
      </div>
    );
  }
  if (task.kind === SAMPLE && result.catalog) {
    return (
      <p>
        <Link to={catalogAddress(result.catalog)}>Open the catalog {result.catalog}</Link>
      </p>
    );
  }
  const { catalog, branch, database, table } = placeOf(task);
  const metrics = Object.entries(result.metrics ?? {}).filter(([, value]) => typeof value === "number" && value > 0);
  return (
    <Panel title="Result" padded={!result.columns?.length}>
      {result.columns?.length ? <ResultGrid columns={result.columns} rows={result.rows ?? []} label="Result" /> : null}
      {metrics.length ? (
        <dl className="five">
          {metrics.map(([name, value]) => (
            <div key={name}>
              <dt>{name.replaceAll("_", " ")}</dt>
              <dd>{count(value)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {result.version ? (
        <Muted as="p" isSmall className="inside row">
          <span>
            version <code>v{result.version}</code>
          </span>
          {task.kind === IMPORT && catalog && branch && database && table ? (
            <Link to={tableAddress(catalog, branch, database, table)}>
              See {inOrder(`${database}.${table}`)}
            </Link>
          ) : null}
        </Muted>
      ) : null}
    </Panel>
  );
}

function TaskFailure({ task }: { task: Task }) {
  const error = (task.error ?? {}) as Record<string, unknown>;
  const conflicts = (error.conflicts ?? []) as Finding[];
  const { catalog, branch } = placeOf(task);
  return (
    <>
      <Failure error={new Problem(error, Number(error.status ?? 500))} />
      {conflicts.length ? (
        <Panel title={`Why: ${counted(conflicts.length, "conflict")}`} padded>
          <ul className="stack">
            {conflicts.map((conflict, place) => (
              <li key={place}>
                <strong>{conflict.object}</strong>
                <p>{conflict.message}</p>
                <Muted as="p">{conflict.remedy}</Muted>
              </li>
            ))}
          </ul>
        </Panel>
      ) : null}
      {catalog && branch ? (
        <p className="row">
          <WayOn task={task} catalog={catalog} branch={branch} />
          <LinkButton to={conflicts.length ? compareAddress(catalog) : branchAddress(catalog, branch)}>
            {conflicts.length ? "Compare branches" : `Branch ${branch}`}
          </LinkButton>
        </p>
      ) : null}
    </>
  );
}

/** Where what failed is mended. */
function WayOn({ task, catalog, branch }: { task: Task; catalog: string; branch: string }) {
  if (task.kind === IMPORT) {
    return (
      <LinkButton to={importAddress(catalog, branch, importOf(task))}>
        Change how the file is read
      </LinkButton>
    );
  }
  const pipelineId = pipelineOf(task);
  if (pipelineId !== undefined) {
    return (
      <LinkButton to={pipelineAddress(catalog, pipelineId)}>
        Edit the pipeline
      </LinkButton>
    );
  }
  return (
    <LinkButton to={sqlAddress(catalog, branch, statementOf(task))}>
      Open in the SQL console
    </LinkButton>
  );
}

function Facts({ task }: { task: Task }) {
  const { catalog } = placeOf(task);
  const pipelineId = pipelineOf(task);
  return (
    <Panel title="Details" padded>
      <dl className="facts">
        <dt>Id</dt>
        <dd>
          <Copyable text={task.id} label="the task's id" />
        </dd>
        <dt>Started</dt>
        <dd>
          <Time at={task.created_at} />
          {task.created_by ? ` by ${task.created_by}` : ""}
        </dd>
        {task.started_at ? (
          <>
            <dt>Ran</dt>
            <dd>
              <Elapsed from={task.started_at} to={task.finished_at ?? null} />
              {task.attempts && task.attempts > 1 ? `, attempt ${task.attempts}` : ""}
            </dd>
          </>
        ) : null}
        {catalog && pipelineId !== undefined ? (
          <>
            <dt>Is</dt>
            <dd>
              <Link to={pipelineRunAddress(catalog, pipelineId, task.id)}>a run of a pipeline</Link>
            </dd>
          </>
        ) : null}
        {task.retry_of ? (
          <>
            <dt>Repeats</dt>
            <dd>
              <Link to={taskAddress(task.retry_of)}>an earlier task</Link>
            </dd>
          </>
        ) : null}
        {task.worker ? (
          <>
            <dt>Worker</dt>
            <dd>{task.worker}</dd>
          </>
        ) : null}
      </dl>
    </Panel>
  );
}

function placeOf(task: Task): { catalog?: string; branch?: string; database?: string; table?: string } {
  return (task.parameters ?? {});
}

/** The pipeline that a task of that kind runs. */
function pipelineOf(task: Task): number | undefined {
  return task.kind === PIPELINE ? (task.parameters as { pipeline: number }).pipeline : undefined;
}

/** The file that a task of that kind loads. */
function importOf(task: Task): { import: string } {
  return { import: (task.parameters as { import: string }).import };
}
