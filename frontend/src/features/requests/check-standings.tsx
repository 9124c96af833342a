import { useState } from "react";
import { Link } from "react-router";

import type { CheckStanding, RequestDetail, Role } from "../../api/resources";
import { catalogSettingsAddress } from "../../model/addresses";
import { count, counted, duration } from "../../model/format";
import { isWithPeople } from "../../model/review";
import { isAtLeast } from "../../model/roles";
import { useCheckStandings, useChecksRun } from "../../queries/checks";
import type { RequestPlace } from "../../queries/requests";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { ResultGrid } from "../../ui/result-grid";
import { Empty, Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { RunOfChecks } from "./run-of-checks";
import styles from "./check-standings.module.css";

/** What the checks found on the state that the merge would make. */
export function CheckStandings({ place, request, role }: { place: RequestPlace; request: RequestDetail; role: Role | undefined }) {
  const standings = useCheckStandings(place);
  const run = useChecksRun(place);
  const [task, setTask] = useState<string>();
  const mayRun = isWithPeople(request.state) && isAtLeast(role, "contributor");
  return (
    <>
      {mayRun && standings.data?.length ? (
        <p className="row">
          <Button disabled={run.isPending} onClick={() => run.mutate(undefined, { onSuccess: setTask })}>
            {run.isPending ? "Starting …" : "Run the checks"}
          </Button>
          <Muted isSmall>On the state that the merge would make of both branches as they are now.</Muted>
        </p>
      ) : null}
      {run.error ? <Failure error={run.error} /> : null}
      {task ? <RunOfChecks key={task} place={place} taskId={task} /> : null}
      <Loaded query={standings} label="the checks">
        {(found) =>
          found.length === 0 ? (
            <Panel>
              <Empty title="This catalog has no checks">
                <p>
                  A check says what must be true of the merged result. <Link to={catalogSettingsAddress(place.catalog, "checks")}>Checks of {place.catalog}</Link>
                </p>
              </Empty>
            </Panel>
          ) : (
            found.map((standing) => <StandingPanel key={standing.name} standing={standing} />)
          )
        }
      </Loaded>
    </>
  );
}

const MARKS = {
  passed: { symbol: "✓", kind: "fine", word: "passed" },
  failed: { symbol: "✕", kind: "conflict", word: "found rows" },
  broken: { symbol: "✕", kind: "conflict", word: "could not be run" },
} as const;

function StandingPanel({ standing }: { standing: CheckStanding }) {
  const { name, query, is_required, is_current, result } = standing;
  return (
    <Panel
      title={name}
      actions={
        <>
          <span className="badge">{is_required ? "required" : "advisory"}</span>
          <ResultBadge standing={standing} />
        </>
      }
    >
      <div className="inside stack tight">
        <pre className={styles.query}>
          <code>{query}</code>
        </pre>
        {result ? (
          <Muted as="p" isSmall>
            <Time at={result.checked_at} />, on source <code>v{result.source_head}</code> and target <code>v{result.destination_head}</code>, took{" "}
            {duration(result.duration_ms)}
            {result.rows_seen === null || result.rows_bad === null ? "" : `; ${counted(result.rows_bad, "bad row")} of ${count(result.rows_seen)}`}
            {is_current ? "" : "; the branches or the query changed since, so that it does not count"}
          </Muted>
        ) : null}
        {result?.problem ? <p>{result.problem}</p> : null}
        {result?.sample.length ? <ResultGrid label={`Rows that ${name} found`} columns={result.columns} rows={result.sample} height="320px" /> : null}
      </div>
    </Panel>
  );
}

function ResultBadge({ standing: { result, is_current } }: { standing: CheckStanding }) {
  if (!result) return <span className="badge">○ not run yet</span>;
  const { symbol, kind, word } = MARKS[result.state];
  return (
    <span className={`badge ${is_current ? kind : "amber"}`}>
      <span aria-hidden="true">{symbol}</span>
      {word}
      {is_current ? "" : ", before"}
    </span>
  );
}
