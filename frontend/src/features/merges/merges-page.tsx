import { Link, useParams, useSearchParams } from "react-router";

import { compareAddress, mergeAddress } from "../../model/addresses";
import { MERGES, RECORD_KINDS } from "../../model/records";
import { useMerges, type MergeSummary } from "../../queries/merges";
import { LaneDot } from "../../ui/branch-name";
import { Button, LinkButton } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { RevertedBadge } from "../../ui/reverted-badge";
import { PageHead, Panel } from "../../ui/page";
import { Select } from "../../ui/select";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { OutcomeBadge } from "./outcome-badge";
import styles from "./merges.module.css";

/** The audit of a catalog: merges first, and records of every other kind. The kind stands in the address. */
export function MergesPage() {
  const { catalog = "" } = useParams();
  const [query, setQuery] = useSearchParams();
  const { kind, title, empty } = RECORD_KINDS.find(({ kind }) => kind === query.get("kind")) ?? MERGES;
  const merges = useMerges(catalog, kind);
  return (
    <div className="page">
      <PageHead
        title={title}
        actions={
          <LinkButton look="primary" to={compareAddress(catalog)}>
            Compare branches
          </LinkButton>
        }
      />
      <Panel
        actions={
          <Select className="state-filter" aria-label="Kind of records" value={kind} onChange={(event) => setQuery({ kind: event.target.value })}>
            {RECORD_KINDS.map((known) => (
              <option key={known.kind} value={known.kind}>
                {known.title}
              </option>
            ))}
          </Select>
        }
      >
        <Loaded query={merges} label={title.toLowerCase()}>
          {({ pages }) => <RecordList title={title} empty={empty} records={pages.flatMap((page) => page.results)} />}
        </Loaded>
        {merges.hasNextPage ? (
          <p className="inside">
            <Button isSmall onClick={() => void merges.fetchNextPage()}>
              Older {title.toLowerCase()}
            </Button>
          </p>
        ) : null}
      </Panel>
    </div>
  );
}

function RecordList({ title, empty, records }: { title: string; empty: string; records: readonly MergeSummary[] }) {
  if (records.length === 0) {
    return (
      <Empty title={empty}>
        <p>Every attempt is recorded here: merges, dry runs, what was refused, and permission changes.</p>
      </Empty>
    );
  }
  return (
    <ul className={styles.mergeList} aria-label={title}>
      {records.map((record) => (
        <li key={record.merge_id}>
          <span className={styles.states}>
            <OutcomeBadge outcome={record.outcome} />
            {record.undone_by ? <RevertedBadge undone={record.undone_by} /> : null}
            {record.status === "conflicted" ? (
              <span className="badge conflict">
                <span aria-hidden="true">✕</span>conflict
              </span>
            ) : null}
          </span>
          <Link to={mergeAddress(record.merge_id)} className="row">
            <RecordName record={record} />
          </Link>
          <Muted isSmall>{record.version === null ? "" : `made v${record.version}`}</Muted>
          <Muted isSmall className={styles.when}>
            {record.actor ? `${record.actor}, ` : ""}
            <Time at={record.time} />
          </Muted>
        </li>
      ))}
    </ul>
  );
}

/** A merge by its branches; another record by what it is about. */
function RecordName({ record }: { record: MergeSummary }) {
  if (record.kind === "merge") {
    return (
      <>
        <LaneDot branch={record.source} />
        {record.source} → <LaneDot branch={record.destination} /> {record.destination}
      </>
    );
  }
  return <>{[record.destination, record.source].filter(Boolean).join(", from ") || record.kind}</>;
}
