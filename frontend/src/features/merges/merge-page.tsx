import { useState } from "react";
import { Link, useParams } from "react-router";

import type { Finding, MergedTable, MergeRecord } from "../../api/resources";
import { branchAddress, compareAddress, mergesAddress, requestAddress } from "../../model/addresses";
import { csvOf, fileSave } from "../../model/export";
import { withNames } from "../../model/first-look";
import { bytes, count, counted, duration, textOr } from "../../model/format";
import { groupBy } from "../../model/grouping";
import { inOrder } from "../../model/reading-order";
import { stepsTook } from "../../model/run-grid";
import { decisionText, madeWhere, withoutRow } from "../../model/timeline";
import { findingMark } from "../../model/verdict";
import { useRules } from "../../queries/compare";
import { useMerge } from "../../queries/merges";
import { useTask } from "../../queries/tasks";
import { BranchLink } from "../../ui/branch-name";
import { Button, LinkButton } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Icon } from "../../ui/icons";
import { MarkBadge } from "../../ui/mark";
import { Menu } from "../../ui/menu";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { Evidence } from "./evidence";
import { MergeAgain } from "./merge-again";
import { MergeTimings } from "./merge-timings";
import { MergedTables } from "./merged-tables";
import { OutcomeBadge } from "./outcome-badge";
import { RecordView } from "./record-view";
import { ReviewEvidence } from "./review-evidence";
import { RevertDialog } from "./revert-dialog";
import { Undone } from "./undone";
import { WaysOut } from "./ways-out";
import styles from "./merges.module.css";

export function MergePage() {
  const { mergeId = "" } = useParams();
  const merge = useMerge(mergeId);
  return (
    <div className="page">
      <Loaded query={merge} label="the audit record" heading="Audit record">
        {(record) => (record.kind === "merge" ? <MergeView record={record} /> : <RecordView record={record} />)}
      </Loaded>
    </div>
  );
}

function MergeView({ record }: { record: MergeRecord }) {
  const [isReverting, setReverting] = useState(false);
  const { catalog, source, destination, outcome } = record;
  return (
    <>
      <PageHead
        title={`${source} → ${destination}`}
        actions={
          <>
            <ExportMenu record={record} />
            {outcome === "merged" ? (
              <>
                {record.undone_by ? null : (
                  <Button onClick={() => setReverting(true)}>
                    <Icon name="undo" />
                    Revert
                  </Button>
                )}
                <LinkButton to={compareAddress(catalog, destination, source)}>
                  Compare {destination} with {source}
                </LinkButton>
              </>
            ) : (
              <MergeAgain record={record} />
            )}
          </>
        }
      >
        <span className="row">
          <BranchLink catalog={catalog} branch={source} />
          <Icon name="right" />
          <BranchLink catalog={catalog} branch={destination} />
          <OutcomeBadge outcome={outcome} />
        </span>
      </PageHead>
      <Muted as="p" isSmall className="row">
        <Link to={mergesAddress(catalog)}>{catalog}</Link>
        <span>
          base <code>v{record.merge_base}</code>, {source} <code>v{record.source_head}</code>, {destination}{" "}
          <code>v{record.destination_head}</code>
        </span>
        <span>
          {record.actor ? `${record.actor}, ` : ""}
          <Time at={record.time} />
        </span>
      </Muted>
      {record.undone_by ? (
        <Undone undone={record.undone_by}>
          Another merge of {source} brings nothing of it: it counts as merged.{" "}
          {record.request ? (
            <>
              <Link to={requestAddress(catalog, record.request.number)}>Merge request #{record.request.number}</Link> merges it again.
            </>
          ) : (
            <>
              To have it back, restore {destination} to <code>v{record.version}</code>.
            </>
          )}
        </Undone>
      ) : null}
      <Summary record={record} />
      <Findings title="Conflicts" findings={record.conflicts} record={record} />
      <Findings title="To know about" findings={record.notes} record={record} />
      {record.tables?.length ? <MergedTables record={record} tables={record.tables} /> : null}
      {record.task_id === null ? null : <MergeTimings taskId={record.task_id} />}
      <DecidedFindings record={record} />
      <FineFindings record={record} />
      <ReviewEvidence record={record} />
      <Evidence record={record} />
      {isReverting ? <RevertDialog record={record} onClose={() => setReverting(false)} /> : null}
    </>
  );
}

function Summary({ record }: { record: MergeRecord }) {
  if (record.outcome === "merged") return <FiveNumbers record={record} />;
  const objects = record.plan?.objects.length ?? 0;
  if (record.outcome === "nothing to merge") {
    return <p>{record.destination} had everything of {record.source} already. Nothing was changed.</p>;
  }
  if (record.conflicts.length === 0 && record.message) {
    return (
      <div className="notice conflict">
        <span className="symbol" aria-hidden="true">
          ✕
        </span>
        <p>{record.message} Neither branch was changed.</p>
      </div>
    );
  }
  if (record.conflicts.length === 0) {
    return (
      <div className="notice fine">
        <span className="symbol" aria-hidden="true">
          ✓
        </span>
        <p>
          This would merge cleanly: {counted(objects, "object")} changed, {counted(record.notes.length, "note")}. Nothing was changed by
          looking.
        </p>
      </div>
    );
  }
  return (
    <div className="notice conflict">
      <span className="symbol" aria-hidden="true">
        ✕
      </span>
      <p>
        {counted(record.conflicts.length, "conflict")} {record.outcome === "dry run" ? "would refuse" : "refused"} this merge. Neither
        branch was changed.
      </p>
      <WaysOut record={record} />
    </div>
  );
}

function FiveNumbers({ record }: { record: MergeRecord }) {
  const tables = record.tables ?? [];
  const sum = (value: (table: MergedTable) => number) => tables.reduce((total, table) => total + value(table), 0);
  const segments = sum((table) => table.new_segment_count);
  const rows = sum((table) => table.new_rows);
  return (
    <dl className="five">
      <div>
        <dt>version made</dt>
        <dd>
          <Link to={`${branchAddress(record.catalog, record.destination)}?tab=history&commit=${record.version}`}>v{record.version}</Link>
        </dd>
      </div>
      <div>
        <dt>{tables.length === 1 ? "table" : "tables"}</dt>
        <dd>{count(tables.length)}</dd>
      </div>
      <div>
        <dt>{segments === 1 ? "new file" : "new files"}</dt>
        <dd>{count(segments)}</dd>
      </div>
      <div>
        <dt>{rows === 1 ? "row" : "rows"} in {segments === 1 ? "it" : "them"}, {bytes(sum((table) => table.new_bytes))}</dt>
        <dd>{count(rows)}</dd>
      </div>
      <div>
        <dt>took</dt>
        <dd>{record.task_id === null ? tookText(record.duration_ms) : <StepsTook taskId={record.task_id} otherwise={record.duration_ms} />}</dd>
      </div>
    </dl>
  );
}

/** From the first step to the end of the last. The record ends before the commit does, so it says less: it is for tasks that
 * are not there any more. */
function StepsTook({ taskId, otherwise }: { taskId: string; otherwise: number | undefined }) {
  const { data, isPending } = useTask(taskId);
  return isPending ? "…" : tookText((data && stepsTook(data.steps)) ?? otherwise);
}

function tookText(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "—" : duration(milliseconds);
}

function Findings({ title, findings, record }: { title: string; findings: readonly Finding[]; record: MergeRecord }) {
  const rules = useRules();
  if (findings.length === 0) return null;
  const address = compareAddress(record.catalog, record.source, record.destination);
  // Until the rules are there the message alone says it.
  const titleOf = ({ code }: Finding) => withNames(rules.data?.codes.find((known) => known.code === code)?.title ?? "", record);
  return (
    <Panel title={`${title} (${findings.length})`}>
      {[...groupBy(findings, (finding) => finding.object)].map(([object, found]) => (
        <div key={object} className={classes("inside", styles.findingGroup)}>
          <h3>
            <Link to={`${address}?object=${found[0]?.kind}:${found[0]?.object_id}`}>{inOrder(object)}</Link>
          </h3>
          {found.map((finding, place) => (
            <div key={place} className="stack tight">
              <p className="row">
                <MarkBadge mark={findingMark(finding, undefined)} />
                <strong>{titleOf(finding)}</strong>
              </p>
              <p>{finding.message}</p>
              <Muted as="p">{finding.remedy}</Muted>
            </div>
          ))}
        </div>
      ))}
    </Panel>
  );
}

/** Conflicts that people decided, with what they chose and what that left out. */
function DecidedFindings({ record }: { record: MergeRecord }) {
  const decided = record.findings.filter((finding) => finding.verdict === "decided");
  const { resolutions = [] } = record;
  if (decided.length + resolutions.length === 0) return null;
  return (
    <Panel title={`Decided by a person (${resolutions.length || decided.length})`} padded>
      <ul className="stack tight small">
        {resolutions.map((made) => (
          <li key={made.resolution}>
            ◆ {madeWhere(made)}: {textOr(withoutRow(made.effect ?? ""), decisionText(made.decision, textOr(made.name, made.value ?? "")))} <Muted>{made.author}</Muted>
          </li>
        ))}
        {decided.map((finding, place) => (
          <li key={place} className="muted">
            <MarkBadge mark={findingMark(finding, undefined)} short /> {finding.message}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function FineFindings({ record }: { record: MergeRecord }) {
  const fine = record.findings.filter((finding) => finding.verdict === "ok");
  if (fine.length === 0) return null;
  return (
    <Panel title={`No conflict (${fine.length})`} padded>
      <ul className="stack tight small">
        {fine.map((finding, place) => (
          <li key={place}>
            <MarkBadge mark={findingMark(finding, undefined)} short /> {finding.message}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ExportMenu({ record }: { record: MergeRecord }) {
  const name = `merge-${record.merge_id}`;
  const columns = ["object", "kind", "source_op", "dest_op", "verdict", "code", "note", "message", "remedy"] as const;
  return (
    <Menu label="Export" buttonClass="button" button={<>Export <Icon name="down" size={12} /></>}>
      <button
        type="button"
        className="item"
        onClick={() => fileSave(`${name}.json`, new Blob([JSON.stringify(record, null, 2)], { type: "application/json" }))}
      >
        Whole record (JSON)
      </button>
      <button
        type="button"
        className="item"
        onClick={() => {
          const rows = record.findings.map((finding) => columns.map((column) => finding[column]));
          fileSave(`${name}.csv`, new Blob([csvOf(columns, rows)], { type: "text/csv" }));
        }}
      >
        Verdicts (CSV)
      </button>
    </Menu>
  );
}
