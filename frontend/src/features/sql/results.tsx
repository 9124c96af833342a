import { useState } from "react";
import { Link } from "react-router";

import { asProblem } from "../../api/problem";
import { taskAddress } from "../../model/addresses";
import { explainTree } from "../../model/explain";
import { count, counted, duration } from "../../model/format";
import { shortStatement } from "../../model/statements";
import { useDownload, type DownloadKind, type StatementAnswer } from "../../queries/statements";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { ParentMerge } from "../../ui/parent-merge";
import { Failure } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { AfterWrite, Metrics } from "./after-write";
import { ExplainTree } from "./explain-tree";
import { FIRST_LOOK, ResultTable, type ResultLook } from "./result-table";
import type { Execution, Run } from "./use-runs";
import styles from "./results.module.css";

/** Statements whose result can be asked for as a file. */
const READS = /^\s*(select|with|values)\b/i;

/** A name that was meant, and what puts it into the text. */
export interface Replacement {
  name: string;
  replace: () => void;
}

/** What the statements answered: a tab for each where there are several. The newest is open until another is chosen. */
export function Results({ execution, isRunning, replacement }: { execution: Execution; isRunning: boolean; replacement: Replacement | undefined }) {
  const { statements, runs, failed } = execution;
  const [chosen, setChosen] = useState<string>();
  const [looks, setLooks] = useState<Record<string, ResultLook>>({});
  const tabs = [
    ...runs.map((run, place) => ({ key: String(place), label: `${place + 1} ${shortStatement(run.statement)}`, count: rowsOf(run) })),
    ...(failed ? [{ key: String(runs.length), label: `✕ ${runs.length + 1} ${shortStatement(failed.at.text)}`, count: undefined }] : []),
  ];
  const open = tabs.find(({ key }) => key === chosen)?.key ?? tabs.at(-1)?.key;
  if (open === undefined) return null;
  const run = runs[Number(open)];
  const ofTab: Looks = {
    of: (columns) => looks[`${open} ${columns}`] ?? FIRST_LOOK,
    set: (columns, look) => setLooks((known) => ({ ...known, [`${open} ${columns}`]: look })),
  };
  const shown = run ? <RunResult key={open} run={run} stale={isRunning && statements.length === 1} looks={ofTab} /> : failed ? <NotRun error={failed.error} replacement={replacement} /> : null;
  if (statements.length === 1) return shown;
  return (
    <Tabs tabs={tabs} chosen={open} onChoose={setChosen} label="Results">
      <Left execution={execution} isRunning={isRunning} />
      {shown}
    </Tabs>
  );
}

function rowsOf({ outcome }: Run): number | undefined {
  return outcome.kind === "answer" && outcome.answer.columns.length ? outcome.answer.row_count : undefined;
}

/** How many statements did not run, and why. */
function Left({ execution: { statements, runs, failed }, isRunning }: { execution: Execution; isRunning: boolean }) {
  const left = statements.length - runs.length - (failed ? 1 : 0);
  if (left === 0 || isRunning) return null;
  const why = failed ? "the one before failed" : "the one before runs on as a task";
  return (
    <p className="small" role="status">
      {count(runs.length)} of {counted(statements.length, "statement")} ran. {counted(left, "statement")} did not run: {why}.
    </p>
  );
}

/** Why there is no result: what somebody stopped is no failure. */
function NotRun({ error, replacement }: { error: Error; replacement: Replacement | undefined }) {
  if (asProblem(error).code !== "QUERY_CANCELLED") {
    return (
      <>
        <Failure error={error} />
        {replacement ? (
          <p className="row">
            <Button isSmall onClick={replacement.replace}>
              Write {replacement.name}
            </Button>
          </p>
        ) : null}
      </>
    );
  }
  return (
    <div className="notice note" role="status">
      <span className="symbol" aria-hidden="true">
        –
      </span>
      <p>The query was cancelled. Nothing was changed.</p>
    </div>
  );
}

/** How the tables of a tab are looked at, by the names of their columns: the same statement may answer others later. */
interface Looks {
  of: (columns: string) => ResultLook;
  set: (columns: string, look: ResultLook) => void;
}

function RunResult({ run, stale, looks }: { run: Run; stale: boolean; looks: Looks }) {
  const { outcome } = run;
  if (outcome.kind === "task") {
    return (
      <div className="notice note">
        <span className="symbol" aria-hidden="true">
          ◐
        </span>
        <p>
          It takes longer. <Link to={taskAddress(outcome.task.id)}>Follow its task</Link>
        </p>
      </div>
    );
  }
  return <Answer run={run} answer={outcome.answer} stale={stale} looks={looks} />;
}

function Answer({ run, answer, stale, looks }: { run: Run; answer: StatementAnswer; stale: boolean; looks: Looks }) {
  const download = useDownload();
  const [isTable, setTable] = useState(false);
  const steps = explainTree(run.statement, answer.columns, answer.rows);
  const names = JSON.stringify(answer.columns.map(({ name }) => name));
  const isRead = answer.columns.length > 0 && READS.test(run.statement);
  return (
    <>
      <Panel
        title={
          <span role="status">
            {steps ? counted(steps.length, "step") : answer.columns.length ? counted(answer.row_count, "row") : "Done"}{" "}
            <Muted isSmall>
              in {duration(run.milliseconds)}
              {answer.version === null ? "" : `, version ${answer.version}`}
              {answer.truncated ? `; the first ${counted(answer.rows.length, "row")} are shown` : ""}
            </Muted>
          </span>
        }
        actions={
          steps ? (
            <Button isSmall onClick={() => setTable(!isTable)}>
              {isTable ? "Show as a tree" : "Show as a table"}
            </Button>
          ) : isRead ? (
            <DownloadButtons run={run} download={download} />
          ) : null
        }
      >
        <div className={stale ? styles.stale : undefined}>
          {steps && !isTable ? <ExplainTree steps={steps} /> : answer.columns.length ? <ResultTable columns={answer.columns} rows={answer.rows} look={looks.of(names)} onLook={(look) => looks.set(names, look)} /> : <Metrics metrics={answer.metrics} />}
          {answer.columns.length ? null : <ParentMerge said={answer.parent_merge} />}
          {run.place && answer.version !== null && answer.columns.length === 0 && Object.keys(answer.metrics).length > 0 ? (
            <AfterWrite place={run.place} statement={run.statement} version={answer.version} />
          ) : null}
        </div>
      </Panel>
      {download.error ? <Failure error={download.error} /> : null}
    </>
  );
}

/** The whole result as a file: the statement runs again, without the limit of what is shown. */
function DownloadButtons({ run, download }: { run: Run; download: ReturnType<typeof useDownload> }) {
  const { session, statement } = run;
  const kinds: readonly [DownloadKind, string][] = [
    ["csv", "CSV"],
    ["parquet", "Parquet"],
  ];
  return (
    <span className="row">
      <Muted isSmall>Download all rows:</Muted>
      {kinds.map(([kind, name]) => (
        <Button
          key={kind}
          isSmall
          disabled={download.isPending}
          onClick={() => download.mutate({ session, statement, kind })}
        >
          {download.isPending && download.variables.kind === kind ? "Reading …" : name}
        </Button>
      ))}
    </span>
  );
}
