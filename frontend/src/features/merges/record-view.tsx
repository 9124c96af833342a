import { Link } from "react-router";

import type { BypassRecord, LakeRecord, MergeRecord, SettingsRecord, AuditRecord } from "../../api/resources";
import { branchAddress, catalogSettingsAddress, mergesAddress, taskAddress } from "../../model/addresses";
import { bytes, count } from "../../model/format";
import { changedFields, settingText } from "../../model/records";
import { BranchLink } from "../../ui/branch-name";
import { Grid } from "../../ui/grid";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Time } from "../../ui/time";
import { Evidence } from "./evidence";
import { OutcomeBadge } from "./outcome-badge";

type OtherRecord = Exclude<AuditRecord, MergeRecord>;

/** A record of the audit that is no merge's. */
export function RecordView({ record }: { record: OtherRecord }) {
  return (
    <>
      <PageHead title={titleOf(record)}>
        <span className="row">
          {titleOf(record)} <OutcomeBadge outcome={record.outcome} />
        </span>
      </PageHead>
      <Muted as="p" isSmall className="row">
        <Link to={mergesAddress(record.catalog, record.kind)}>{record.catalog}</Link>
        <span>
          {record.actor ? `${record.actor}, ` : ""}
          <Time at={record.time} />
        </span>
      </Muted>
      <Details record={record} />
      <Evidence record={record} />
    </>
  );
}

function Details({ record }: { record: OtherRecord }) {
  if (record.kind === "settings") return <ChangedSetting record={record} />;
  return record.kind === "bypass" ? <Bypassed record={record} /> : <WorkDone record={record} />;
}

function titleOf(record: OtherRecord): string {
  switch (record.kind) {
    case "settings":
      return settingText(record);
    case "bypass":
      return `The protection of ${record.destination} was bypassed`;
    case "restore":
      return `${record.destination} from ${record.source}`;
    case "undrop":
      return `Undropped on ${record.destination}`;
    case "transaction":
      return `A transaction on ${record.destination}`;
    case "vacuum":
      return `Vacuum of ${record.catalog}`;
  }
}

const CHANGE_COLUMNS = [{ title: "Field" }, { title: "Before" }, { title: "After" }];

function ChangedSetting({ record }: { record: SettingsRecord }) {
  const changes = changedFields(record);
  return (
    <Panel title="What changed" actions={<Link to={catalogSettingsAddress(record.catalog)}>Settings of {record.catalog}</Link>}>
      {changes.length === 0 ? (
        <p className="inside">It was set to what it was before.</p>
      ) : (
        <Grid label="What changed" columns={CHANGE_COLUMNS}>
          {changes.map(({ field, before, after }) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td>{before}</td>
              <td>{after}</td>
            </tr>
          ))}
        </Grid>
      )}
    </Panel>
  );
}

function Bypassed({ record }: { record: BypassRecord }) {
  const { catalog, destination, patterns, version, task_id: task } = record;
  return (
    <>
      <div className="notice conflict">
        <span className="symbol" aria-hidden="true">
          !
        </span>
        <p>
          {record.actor} went past the protection of {destination}. The reason that was given: {record.reason}
        </p>
      </div>
      <Panel title="What was bypassed" padded>
        <dl className="facts">
          <dt>Branch</dt>
          <dd>
            <BranchLink catalog={catalog} branch={destination} />
          </dd>
          <dt>Would have been refused, as</dt>
          <dd>{record.refused}</dd>
          <dt>By {patterns.length === 1 ? "the rule" : "the rules"} of</dt>
          <dd>
            <code>{patterns.join(", ")}</code>
          </dd>
          {record.statement ? (
            <>
              <dt>Statement</dt>
              <dd>
                <code>{record.statement}</code>
              </dd>
            </>
          ) : null}
          <Led catalog={catalog} branch={destination} version={version} task={task} />
        </dl>
      </Panel>
    </>
  );
}

function WorkDone({ record }: { record: LakeRecord }) {
  const { catalog, destination, files, version, task_id: task } = record;
  return (
    <>
      {record.message ? (
        <div className="notice conflict">
          <span className="symbol" aria-hidden="true">
            ✕
          </span>
          <p>{record.message}</p>
        </div>
      ) : null}
      <Panel title="What was done" padded>
        <dl className="facts">
          {record.statement ? (
            <>
              <dt>Statement</dt>
              <dd>
                <code>{record.statement}</code>
              </dd>
            </>
          ) : null}
          {files === undefined ? null : (
            <>
              <dt>Files removed</dt>
              <dd>
                {count(files)}, {bytes(record.bytes ?? 0)}
              </dd>
            </>
          )}
          {record.older_than ? (
            <>
              <dt>History kept since</dt>
              <dd>
                <Time at={record.older_than} />
              </dd>
            </>
          ) : null}
          <Led catalog={catalog} branch={destination} version={version} task={task} />
        </dl>
      </Panel>
    </>
  );
}

/** The version that came of it, and the task that did it. */
function Led({ catalog, branch, version, task }: { catalog: string; branch: string; version: number | null; task: string | null }) {
  return (
    <>
      <dt>Version made</dt>
      <dd>{version === null ? "none" : <Link to={`${branchAddress(catalog, branch)}?tab=history&commit=${version}`}>v{version}</Link>}</dd>
      {task ? (
        <>
          <dt>Task</dt>
          <dd>
            <Link to={taskAddress(task)}>{task}</Link>
          </dd>
        </>
      ) : null}
    </>
  );
}
