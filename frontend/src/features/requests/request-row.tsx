import { Link } from "react-router";

import type { InboxEntry, MergeRequest } from "../../api/resources";
import { requestAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { approvalsText, isFinishedState, sourceName } from "../../model/review";
import { LaneDot } from "../../ui/branch-name";
import { Muted } from "../../ui/muted";
import { RevertedBadge } from "../../ui/reverted-badge";
import { Time } from "../../ui/time";
import { StateBadge } from "./state-badge";
import styles from "./request-row.module.css";

/** One request of a list: what it wants, how it stands, who was last at it. */
export function RequestRow({ catalog, request, why }: { catalog: string; request: MergeRequest; why?: string }) {
  const source = sourceName(request);
  return (
    <div className={styles.request}>
      <span className={styles.states}>
        <StateBadge state={request.state} />
        {!isFinishedState(request.state) && request.conflicts > 0 && request.state !== "conflicted" ? <StateBadge state="conflicted" /> : null}
        {request.undone_by ? <RevertedBadge undone={request.undone_by} /> : null}
      </span>
      <span className={styles.title}>
        <Link to={requestAddress(catalog, request.number)} className="ellipsis">
          {request.title}
        </Link>
        {request.labels.map((label) => (
          <span key={label} className="badge">
            {label}
          </span>
        ))}
      </span>
      <Muted isSmall className={styles.about}>
        {why ? `${why} · ` : ""}#{request.number} {request.author} <LaneDot branch={source} /> {source} → {request.destination.name}
      </Muted>
      <Muted isSmall className={styles.votes}>
        {approvalsText(request)}
        {request.open_threads ? `, ${counted(request.open_threads, "open thread")}` : ""}
      </Muted>
      <Muted isSmall className={styles.when}>
        {request.comments ? `${counted(request.comments, "comment")}, ` : ""}
        <Time at={request.updated_at} />
      </Muted>
    </div>
  );
}

const WAITS: Record<InboxEntry["waits_for"], string> = { review: "asks for your review", author: "comes back to you" };

/** What waits for a person, of all catalogs. */
export function InboxList({ entries }: { entries: readonly InboxEntry[] }) {
  return (
    <ul className={styles.list} aria-label="Waiting for you">
      {entries.map((entry) => (
        <li key={`${entry.catalog} ${entry.number}`}>
          <InboxRow entry={entry} />
        </li>
      ))}
    </ul>
  );
}

function InboxRow({ entry }: { entry: InboxEntry }) {
  return <RequestRow catalog={entry.catalog} request={entry} why={`${WAITS[entry.waits_for]} · ${entry.catalog}`} />;
}
