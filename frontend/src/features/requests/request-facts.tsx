import { useState } from "react";
import { Link } from "react-router";

import type { RequestDetail } from "../../api/resources";
import { mergeAddress, requestsAddress } from "../../model/addresses";
import { isFinishedState } from "../../model/review";
import type { RequestPlace } from "../../queries/requests";
import { useChangesSince } from "../../queries/reviews";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { Loaded } from "../../ui/states";
import { ProtectionLine } from "./protection-line";
import styles from "./request-facts.module.css";

/** Who said what, who was asked, labels, and the record of the merge. */
export function RequestFacts({ place, request }: { place: RequestPlace; request: RequestDetail }) {
  const silent = request.reviewers.filter((name) => !request.votes.some((vote) => vote.reviewer === name));
  return (
    <aside className={classes("stack", styles.facts)} aria-label="About the request">
      <Panel title="Reviews">
        <ul className="inside stack tight">
          {request.votes.map((vote) => (
            <VoteLine key={vote.review} place={place} vote={vote} isOpen={!isFinishedState(request.state)} />
          ))}
          {silent.map((name) => (
            <li key={name}>
              {name} <span className="badge">○ asked</span>
            </li>
          ))}
          {request.votes.length + silent.length === 0 ? <li className="muted">No review yet, and no reviewer was asked.</li> : null}
        </ul>
      </Panel>
      <Panel title="About" padded>
        <dl className="facts">
          {request.labels.length ? (
            <>
              <dt>Labels</dt>
              <dd className="row">
                {request.labels.map((label) => (
                  <Link key={label} className="badge" to={requestsAddress(place.catalog, { state: "all", label })}>
                    {label}
                  </Link>
                ))}
              </dd>
            </>
          ) : null}
          {request.merge_id ? (
            <>
              <dt>Merged</dt>
              <dd>
                <Link to={mergeAddress(request.merge_id)}>{request.undone_by ? "Audit record" : "Audit record, and how to revert it"}</Link>
              </dd>
            </>
          ) : null}
          <dt>Open threads</dt>
          <dd>{request.open_threads || "none"}</dd>
        </dl>
        <ProtectionLine catalog={place.catalog} branch={request.destination.name} />
      </Panel>
    </aside>
  );
}

const VERDICTS = {
  approve: { symbol: "✓", word: "approved", kind: "fine" },
  request_changes: { symbol: "↩", word: "requests changes", kind: "amber" },
  withdraw: { symbol: "–", word: "withdrew", kind: "" },
} as const;

function VoteLine({ place, vote, isOpen }: { place: RequestPlace; vote: RequestDetail["votes"][number]; isOpen: boolean }) {
  const { symbol, word, kind } = VERDICTS[vote.verdict];
  const isVoid = vote.verdict === "approve" && !vote.counts;
  return (
    <li>
      <span className="row">
        {vote.reviewer}
        <span className={`badge ${isVoid ? "amber" : kind}`}>
          <span aria-hidden="true">{isVoid ? "≠" : symbol}</span>
          {vote.is_stale ? "stale approval" : isVoid ? "approval does not count" : word}
        </span>
      </span>
      {vote.reason ? <Muted as="p" isSmall>{vote.reason}</Muted> : null}
      {vote.is_stale && isOpen ? <ChangedSince place={place} review={vote.review} /> : null}
    </li>
  );
}

function ChangedSince({ place, review }: { place: RequestPlace; review: number }) {
  const [isOpen, setOpen] = useState(false);
  const changes = useChangesSince(place, review, isOpen);
  return (
    <details className="small" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What changed since</summary>
      <Loaded query={changes} label="what changed since">
        {({ summary, source, destination, rules_changed, resolutions_changed }) => (
          <ul>
            <li>{summary}</li>
            {[...source, ...destination].map((commit) => (
              <li key={`${commit.branch} ${commit.version}`}>
                {commit.branch} <code>v{commit.version}</code> {commit.operation} <Muted>{commit.author}</Muted>
              </li>
            ))}
            {rules_changed ? <li>The rules of merging changed.</li> : null}
            {resolutions_changed ? <li>Decisions about conflicts changed.</li> : null}
          </ul>
        )}
      </Loaded>
    </details>
  );
}
