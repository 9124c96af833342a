import type { AuditRecord } from "../../api/resources";
import { Copyable } from "../../ui/copyable";
import { Panel } from "../../ui/page";

/** What lets another person check the record: the plan's fingerprint and the record's link in the chain. */
export function Evidence({ record }: { record: AuditRecord }) {
  return (
    <Panel title="Record" padded>
      <dl className="facts">
        <dt>{record.kind === "merge" ? "Merge id" : "Record id"}</dt>
        <dd>
          <Copyable text={record.merge_id} label={record.kind === "merge" ? "the merge id" : "the record id"} />
        </dd>
        {record.fingerprint ? (
          <>
            <dt>Plan fingerprint</dt>
            <dd>
              <Copyable text={record.fingerprint} shown={`${record.fingerprint.slice(0, 16)}…`} label="the fingerprint" />
            </dd>
          </>
        ) : null}
        <dt>Record digest</dt>
        <dd>
          <Copyable text={record.digest} shown={`${record.digest.slice(0, 16)}…`} label="the digest" />
        </dd>
      </dl>
    </Panel>
  );
}
