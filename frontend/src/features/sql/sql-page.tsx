import { lazy, Suspense, useCallback, useState } from "react";
import { useParams, useSearchParams } from "react-router";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { asProblem } from "../../api/problem";
import { taskAddress } from "../../model/addresses";
import { counted, duration } from "../../model/format";
import { errorRange } from "../../model/sql-places";
import { refresh } from "../../queries/refresh";
import { statementCancel, statementRun, useDownload, type DownloadKind, type Outcome, type StatementAnswer } from "../../queries/statements";
import { LaneDot } from "../../ui/branch-name";
import { PageHead, Panel } from "../../ui/page";
import { ResultGrid } from "../../ui/result-grid";
import { Failure, Loading } from "../../ui/states";
import { Link } from "react-router";
import { StatementHistory } from "./statement-history";
import { useStatementHistory } from "./use-statement-history";
import { useSqlNames } from "./use-sql-names";
import { placeText, useSqlSession } from "./use-sql-session";
import "../../styles/sql.css";

const SqlEditor = lazy(() => import("./sql-editor"));

/** Statements whose result can be asked for as a file. */
const READS = /^\s*(select|with|values)\b/i;

interface Run {
  session: string;
  statement: string;
  outcome: Outcome;
  milliseconds: number;
}

export function SqlPage() {
  const { catalog = "" } = useParams();
  const [query, setQuery] = useSearchParams();
  const branch = query.get("branch") ?? "main";
  const first = query.get("statement") ?? "";
  const moveTo = useCallback(
    (next: string) => setQuery((before) => new URLSearchParams({ ...Object.fromEntries(before), branch: next }), { replace: true }),
    [setQuery],
  );
  return <Console key={`${catalog} ${first}`} catalog={catalog} branch={branch} first={first} moveTo={moveTo} />;
}

interface ConsoleProps {
  catalog: string;
  branch: string;
  first: string;
  moveTo: (branch: string) => void;
}

function Console({ catalog, branch, first, moveTo }: ConsoleProps) {
  const [text, setText] = useState(first || "SHOW TABLES");
  const [past, remember] = useStatementHistory(catalog);
  const names = useSqlNames(catalog, branch, text);
  // A result stays in sight while the next statement runs.
  const [result, setResult] = useState<Run>();
  const session = useSqlSession(catalog, branch, moveTo);
  const run = useRun(catalog, session, remember, setResult);
  const { mutate, isPending } = run;
  const start = useCallback(
    (statement: string) => {
      if (statement.trim() && !isPending) mutate(statement.trim());
    },
    [mutate, isPending],
  );
  const problem = run.error ? asProblem(run.error) : undefined;
  const underlined = problem && text.trim() === run.variables ? errorRange(text.trimEnd(), problem.members) : undefined;
  return (
    <div className="page">
      <PageHead title="SQL">
        <span className="row">
          SQL on <LaneDot branch={session.place?.branch ?? branch} /> {session.place ? placeText(session.place) : branch}
        </span>
      </PageHead>
      {session.place?.transaction ? (
        <p className="small muted">The transaction stays on {session.place.branch}. COMMIT or ROLLBACK ends it; then another branch can be chosen.</p>
      ) : null}
      {session.hasEnded ? (
        <p className="small muted" role="status">
          The session of this tab ended, with its temporary views and its transaction. The next statement begins a new one.
        </p>
      ) : null}
      <Panel>
        <Suspense fallback={<Loading label="the editor" />}>
          <SqlEditor
            text={text}
            names={names}
            onChange={setText}
            onRun={start}
            error={problem && underlined ? { ...underlined, message: problem.message } : undefined}
          />
        </Suspense>
        <div className="inside row apart sql-actions">
          <span className="row">
            <button type="button" className="button primary" disabled={isPending || !text.trim()} onClick={() => start(text)}>
              {isPending ? "Running …" : "Run"}
            </button>
            {isPending ? <CancelButton catalog={session.place?.catalog ?? catalog} statement={run.variables} /> : null}
            <kbd className="not-narrow">Ctrl Enter</kbd>
          </span>
          <StatementHistory past={past} onChoose={setText} />
        </div>
      </Panel>
      {run.error && !isPending ? <NotRun error={run.error} /> : null}
      {result && !run.error ? <RunResult run={result} stale={isPending} /> : null}
    </div>
  );
}

/** Why there is no result: what somebody stopped is no failure. */
function NotRun({ error }: { error: Error }) {
  if (asProblem(error).code !== "QUERY_CANCELLED") return <Failure error={error} />;
  return (
    <div className="notice note" role="status">
      <span className="symbol" aria-hidden="true">
        –
      </span>
      <p>The query was cancelled. Nothing was changed.</p>
    </div>
  );
}

/** Stops what runs: the server then answers that it was cancelled. */
function CancelButton({ catalog, statement }: { catalog: string; statement: string }) {
  const cancel = useMutation({ mutationFn: () => statementCancel({ catalog, statement }) });
  return (
    <>
      <button type="button" className="button" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
        {cancel.isPending ? "Stopping …" : "Cancel"}
      </button>
      {cancel.error ? <span className="small" role="alert">{asProblem(cancel.error).message}</span> : null}
    </>
  );
}

function useRun(
  catalog: string,
  session: ReturnType<typeof useSqlSession>,
  remember: (statement: string) => void,
  show: (run: Run) => void,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (statement: string): Promise<Run> => {
      remember(statement);
      const begun = performance.now();
      const id = await session.ready();
      const outcome = await statementRun({ session: id, statement });
      const milliseconds = performance.now() - begun;
      return { session: id, statement, outcome, milliseconds };
    },
    onError: (error: Error) => session.failed(error),
    onSuccess: (run) => {
      show(run);
      // What the statement did stands, whether or not it can be seen where the session is.
      session.follow(run.session).catch(session.failed);
      // Not waited for: until this is over the next statement is not taken.
      void refresh(queries, ["catalog", catalog]);
    },
  });
}

function RunResult({ run, stale }: { run: Run; stale: boolean }) {
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
  return <Answer run={run} answer={outcome.answer} stale={stale} />;
}

function Answer({ run, answer, stale }: { run: Run; answer: StatementAnswer; stale: boolean }) {
  const download = useDownload();
  const isRead = answer.columns.length > 0 && READS.test(run.statement);
  return (
    <>
      <Panel
        title={
          <span role="status">
            {answer.columns.length ? counted(answer.row_count, "row") : "Done"}{" "}
            <span className="muted small">
              in {duration(run.milliseconds)}
              {answer.version === null ? "" : `, version ${answer.version}`}
              {answer.truncated ? `; the first ${counted(answer.rows.length, "row")} are shown` : ""}
            </span>
          </span>
        }
        actions={isRead ? <DownloadButtons run={run} download={download} /> : null}
      >
        <div className={stale ? "stale" : ""}>
          {answer.columns.length ? <ResultGrid columns={answer.columns} rows={answer.rows} label="Result" /> : <Metrics metrics={answer.metrics} />}
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
      <span className="small muted">Download all rows:</span>
      {kinds.map(([kind, name]) => (
        <button
          key={kind}
          type="button"
          className="button small"
          disabled={download.isPending}
          onClick={() => download.mutate({ session, statement, kind })}
        >
          {download.isPending && download.variables.kind === kind ? "Reading …" : name}
        </button>
      ))}
    </span>
  );
}

function Metrics({ metrics }: { metrics: Record<string, unknown> }) {
  const shown = Object.entries(metrics).filter(([, value]) => typeof value === "number" && value > 0);
  if (shown.length === 0) return <p className="inside muted">Statement ran. No rows returned.</p>;
  return (
    <dl className="facts inside">
      {shown.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name.replaceAll("_", " ")}</dt>
          <dd>{String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
