import { useState } from "react";
import { Link, useNavigate } from "react-router";

import type { Comparison, RequestDetail, Role } from "../../api/resources";
import { mergeAddress, requestAddress, taskAddress } from "../../model/addresses";
import { isWithPeople, type Blocker } from "../../model/review";
import { isAtLeast } from "../../model/roles";
import { useProtection } from "../../queries/protection";
import { useRequestMerge, useRequestQueue, type RequestPlace } from "../../queries/requests";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Failure } from "../../ui/states";
import { Time } from "../../ui/time";
import { JUST_STARTED } from "../tasks/just-started";
import { BypassDialog } from "./bypass-dialog";

interface MergeProps {
  place: RequestPlace;
  request: RequestDetail;
  /** The live comparison; undefined until it is there. */
  seen: Comparison | undefined;
  role: Role | undefined;
}

/** What still stands in the way, and the merge itself. */
export function MergeBox({ place, request, seen, role }: MergeProps) {
  if (request.state === "merged") return <Merged request={request} />;
  if (request.state === "closed") return null;
  if (!isWithPeople(request.state)) return <InHand place={place} request={request} role={role} />;
  return <MergeForm place={place} request={request} seen={seen} role={role} />;
}

function Merged({ request }: { request: RequestDetail }) {
  return (
    <div className="notice fine">
      <span className="symbol" aria-hidden="true">
        ●
      </span>
      <p>
        It was merged. {request.merge_id ? <Link to={mergeAddress(request.merge_id)}>What changed, who approved it, and how to revert it</Link> : null}
      </p>
    </div>
  );
}

function InHand({ place, request, role }: { place: RequestPlace; request: RequestDetail; role: Role | undefined }) {
  const queue = useRequestQueue(place);
  const isQueued = request.state === "queued";
  return (
    <div className="notice note">
      <span className="symbol" aria-hidden="true">
        {isQueued ? "⋯" : "▸"}
      </span>
      <p className="row">
        {isQueued ? "It waits in the merge queue" : "It is being merged"}
        {isQueued && request.queued_at ? (
          <span className="muted">
            since <Time at={request.queued_at} />
          </span>
        ) : null}
        {request.task_id && !isQueued ? <Link to={taskAddress(request.task_id)}>How far it is</Link> : null}
        {isQueued && isAtLeast(role, "contributor") ? (
          <button type="button" className="button small" disabled={queue.isPending} onClick={() => queue.mutate("leave")}>
            Take it out of the queue
          </button>
        ) : null}
      </p>
      {queue.error ? <Failure error={queue.error} /> : null}
    </div>
  );
}

function MergeForm({ place, request, seen, role }: MergeProps) {
  const navigate = useNavigate();
  const protection = useProtection(place.catalog, request.destination.name);
  const merge = useRequestMerge(place);
  const queue = useRequestQueue(place);
  const [isBypassing, setBypassing] = useState(false);
  const { blockers } = request;
  const isFree = blockers.length === 0 && seen?.mergeable === true;
  const mayMerge = isAtLeast(role, protection.data?.is_protected ? protection.data.merge_role : "contributor");
  const mayBypass = isAtLeast(role, "owner") && protection.data?.is_protected === true && protection.data.allow_bypass;
  // Without a fingerprint: what was approved is judged again under the locks of both branches.
  const start = (bypass_reason: string) =>
    merge.mutate(
      { fingerprint: "", bypass_reason },
      { onSuccess: (task) => (task === undefined ? undefined : void navigate(taskAddress(task), { state: JUST_STARTED })) },
    );
  const failure = merge.error ?? queue.error;
  return (
    <Panel title="Merge" padded>
      <div className="stack tight">
        {blockers.length ? <Blockers place={place} blockers={blockers} /> : null}
        {seen?.is_empty ? <p>{request.destination.name} has everything of the source: there is nothing to merge.</p> : null}
        {isFree ? <p>✓ Nothing known stands in the way. The merge judges once more under the locks of both branches.</p> : null}
        {protection.data && !mayMerge ? <p className="muted">It takes the role {protection.data.merge_role} to merge into {request.destination.name}.</p> : null}
        {failure && !isBypassing ? <Failure error={failure} /> : null}
        <div className="row">
          <button type="button" className="button primary" disabled={!isFree || !mayMerge || merge.isPending} onClick={() => start("")}>
            <Icon name="merge" />
            {merge.isPending ? "Starting …" : `Merge into ${request.destination.name}`}
          </button>
          <button type="button" className="button" disabled={!isFree || !mayMerge || queue.isPending} onClick={() => queue.mutate("enter")}>
            Put into the merge queue
          </button>
          {mayBypass && blockers.length ? (
            <button type="button" className="button danger" onClick={() => setBypassing(true)}>
              Emergency bypass
            </button>
          ) : null}
        </div>
      </div>
      {isBypassing ? (
        <BypassDialog branch={request.destination.name} run={merge} onBypass={start} onClose={() => setBypassing(false)} />
      ) : null}
    </Panel>
  );
}

const WHERE: Partial<Record<Blocker["code"], { tab: string; label: string }>> = {
  CONFLICTS: { tab: "compare", label: "Decide them" },
  CHECK_MISSING: { tab: "checks", label: "Run the checks" },
  CHECK_FAILED: { tab: "checks", label: "See what it found" },
};

function Blockers({ place, blockers }: { place: RequestPlace; blockers: readonly Blocker[] }) {
  return (
    <>
      <p>What still stands in the way:</p>
      <ul className="steps" aria-label="What stands in the way">
        {blockers.map(({ code, message }) => {
          const where = WHERE[code];
          return (
            <li key={message}>
              {message} {where ? <Link to={`${requestAddress(place.catalog, place.number)}?tab=${where.tab}`}>{where.label}</Link> : null}
            </li>
          );
        })}
      </ul>
    </>
  );
}
