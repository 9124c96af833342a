import { Link } from "react-router";

import type { MergeRecord } from "../../api/resources";
import { requestAddress } from "../../model/addresses";
import { decisionText, madeWhere } from "../../model/timeline";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";

/** Of a merge that a merge request was carried out for: who asked, who approved, what was decided and checked. */
export function ReviewEvidence({ record }: { record: MergeRecord }) {
  const { request, approvals = [], resolutions = [], checks = [] } = record;
  if (!request) return null;
  return (
    <Panel title="Review" padded>
      <dl className="facts">
        <dt>Merge request</dt>
        <dd>
          <Link to={requestAddress(record.catalog, request.number)}>
            #{request.number} {request.title}
          </Link>{" "}
          of {request.author}
        </dd>
        <dt>Approved by</dt>
        <dd>
          {approvals.length
            ? approvals.map(({ reviewer, review, fingerprint }) => (
                <span key={review} className="row">
                  ✓ {reviewer}{" "}
                  <Muted>
                    plan <code title={fingerprint}>{fingerprint.slice(0, 8)}</code>
                  </Muted>
                </span>
              ))
            : "no one"}
        </dd>
        {resolutions.length ? (
          <>
            <dt>Decided</dt>
            <dd>
              {resolutions.map((made) => (
                <span key={made.resolution} className="row">
                  ◆ {madeWhere(made)}: {decisionText(made.decision, made.name)}{" "}
                  <Muted>{made.author}</Muted>
                </span>
              ))}
            </dd>
          </>
        ) : null}
        {checks.length ? (
          <>
            <dt>Checks</dt>
            <dd>{checks.map(({ name, state }) => `${name} ${state}`).join(", ")}</dd>
          </>
        ) : null}
      </dl>
    </Panel>
  );
}
