import { lazy, Suspense, useCallback, useDeferredValue, useMemo, useState } from "react";
import { useParams, useSearchParams } from "react-router";

import { useMutation } from "@tanstack/react-query";
import { asProblem } from "../../api/problem";
import { counted } from "../../model/format";
import { errorRange } from "../../model/sql-places";
import { statementsIn } from "../../model/statements";
import { statementCancel } from "../../queries/statements";
import { LaneDot } from "../../ui/branch-name";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import type { Insertion } from "../../ui/code-editor";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Loading } from "../../ui/states";
import { TablesPanel } from "./names-tree";
import { Results } from "./results";
import { SavedQueries } from "./saved-queries";
import { StatementHistory } from "./statement-history";
import { useKeptText } from "./use-kept-text";
import { useRuns, type Execution } from "./use-runs";
import { useSqlNames } from "./use-sql-names";
import { placeText, useSqlSession } from "./use-sql-session";
import { useWriteQuestion } from "./use-write-question";
import { WriteQuestion } from "./write-question";
import styles from "./sql-page.module.css";

const SqlEditor = lazy(() => import("./sql-editor"));

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

/** Part of the text that is chosen; empty where only the cursor stands. */
interface Selection {
  from: number;
  to: number;
}

function Console({ catalog, branch, first, moveTo }: ConsoleProps) {
  const { text, write, isKept } = useKeptText(catalog, first);
  const [selection, setSelection] = useState<Selection>({ from: 0, to: 0 });
  const [insertion, setInsertion] = useState<Insertion>();
  const insert = useCallback((name: string) => setInsertion({ text: name }), []);
  const names = useSqlNames(catalog, branch, text);
  const session = useSqlSession(catalog, branch, moveTo);
  // A result stays visible while the next statement runs.
  const { execution, now, isRunning, start } = useRuns(catalog, session);
  const asks = useWriteQuestion(start);
  const isBusy = isRunning || asks.isLooking;
  const here = { catalog: session.place?.catalog ?? catalog, branch: session.place?.branch ?? branch };
  const run = (whole: string, chosen: Selection) => {
    const statements = chosenStatements(whole, chosen);
    if (statements.length > 0 && !isBusy) asks.begin(statements, here);
  };
  const runAgain = (whole: string) => {
    write(whole);
    run(whole, { from: 0, to: 0 });
  };
  // How many they are is read after the key is drawn: a long text takes longer than a key may.
  const read = useDeferredValue(useMemo(() => ({ text, selection }), [text, selection]));
  const wanted = useMemo(() => chosenStatements(read.text, read.selection).length, [read]);
  const mark = markOf(text, execution);
  const meant = mark?.replacement;
  const replacement = mark && meant !== undefined ? { name: meant, replace: () => setInsertion({ text: meant, at: { from: mark.from, to: mark.to } }) } : undefined;
  const isPart = selection.from < selection.to;
  return (
    <div className="page">
      <PageHead title="SQL">
        <span className="row">
          SQL on <LaneDot branch={session.place?.branch ?? branch} /> {session.place ? placeText(session.place) : branch}
        </span>
      </PageHead>
      {session.place?.transaction ? (
        <Muted as="p" isSmall>The transaction stays on {session.place.branch}. COMMIT or ROLLBACK ends it; then another branch can be chosen.</Muted>
      ) : null}
      {session.hasEnded ? (
        <Muted as="p" isSmall role="status">
          The session of this tab ended, with its temporary views and its transaction. The next statement begins a new one.
        </Muted>
      ) : null}
      <div className={styles.columns}>
        <Panel>
          <Suspense fallback={<Loading label="the editor" />}>
            <SqlEditor text={text} names={names} insertion={insertion} onChange={write} onSelect={setSelection} onRun={run} error={mark} />
          </Suspense>
          <div className={classes("inside row apart", styles.actions)}>
            <span className="row">
              <Button look="primary" disabled={isBusy || wanted === 0} onClick={() => run(text, selection)}>
                {isRunning ? "Running …" : isPart ? "Run selection" : wanted > 1 ? `Run ${counted(wanted, "statement")}` : "Run"}
              </Button>
              {now ? <CancelButton catalog={session.place?.catalog ?? catalog} statement={now.text} /> : null}
              <kbd className="not-narrow">Ctrl Enter</kbd>
            </span>
            <span className="row">
              <SavedQueries catalog={catalog} text={text} onOpen={write} />
              <StatementHistory catalog={catalog} branch={session.place?.branch ?? branch} onOpen={write} onRun={runAgain} />
            </span>
          </div>
          {isKept ? null : <Muted as="p" isSmall className="inside">The browser has no room to keep this text: it is lost when the page is loaded again.</Muted>}
        </Panel>
        <TablesPanel catalog={catalog} branch={branch} onName={insert} />
      </div>
      <WriteQuestion asks={asks} />
      {execution ? <Results key={execution.statements.map(({ text: each }) => each).join(";")} execution={execution} isRunning={isRunning} replacement={replacement} /> : null}
    </div>
  );
}

/** The statements of the chosen part, else of the whole text, with their places in the whole. */
function chosenStatements(text: string, { from, to }: Selection) {
  if (from >= to) return statementsIn(text);
  return statementsIn(text.slice(from, to)).map((found) => ({ ...found, from: found.from + from }));
}

/** What went wrong, at its place; nothing where the text is another by now. */
function markOf(text: string, execution: Execution | undefined) {
  const failed = execution?.failed;
  if (!failed) return undefined;
  const { at } = failed;
  if (text.slice(at.from, at.from + at.text.length) !== at.text) return undefined;
  const problem = asProblem(failed.error);
  const range = errorRange(at.text, problem.members);
  const { replacement } = problem.members;
  return range && { from: range.from + at.from, to: range.to + at.from, message: problem.message, replacement: typeof replacement === "string" ? replacement : undefined };
}

/** Stops what runs: the server then answers that it was cancelled. */
function CancelButton({ catalog, statement }: { catalog: string; statement: string }) {
  const cancel = useMutation({ mutationFn: () => statementCancel({ catalog, statement }) });
  return (
    <>
      <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
        {cancel.isPending ? "Stopping …" : "Cancel"}
      </Button>
      {cancel.error ? <span className="small" role="alert">{asProblem(cancel.error).message}</span> : null}
    </>
  );
}
