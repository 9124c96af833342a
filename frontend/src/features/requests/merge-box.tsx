import { useState, type ReactNode } from "react";
import { Link } from "react-router";

import type { Comparison, RequestDetail, Role } from "../../api/resources";
import { mergeAddress, requestAddress, taskAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { approvalsText, isWithPeople, nextSteps, type Step } from "../../model/review";
import { isAtLeast } from "../../model/roles";
import { useProtection } from "../../queries/protection";
import { useRequestMerge, useRequestQueue, type RequestPlace } from "../../queries/requests";
import { useTask } from "../../queries/tasks";
import { classes } from "../../ui/classes";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";
import { Time } from "../../ui/time";
import { TaskSteps } from "../tasks/task-steps";
import { BypassDialog } from "./bypass-dialog";
import { OwnerLines } from "./owner-lines";
import { PolicyLines } from "./policy-lines";
import todoList from "./todo.module.css";
import styles from "./merge-box.module.css";

interface MergeProps {
  place: RequestPlace;
  request: RequestDetail;
  /** The live comparison; undefined until it is there. */
  seen: Comparison | undefined;
  role: Role | undefined;
}

/** Whether the request can be merged, who must still do what, and the merge itself: the first thing on its page. */
export function MergeBox({ place, request, seen, role }: MergeProps) {
  if (request.state === "merged") return request.undone_by ? null : <Merged request={request} />;
  if (request.state === "closed") return null;
  if (!isWithPeople(request.state)) return <InHand place={place} request={request} role={role} />;
  return <MergeForm place={place} request={request} seen={seen} role={role} />;
}

function Merged({ request }: { request: RequestDetail }) {
  return (
    <Box kind="fine" symbol="●" title="It was merged.">
      {request.merge_id ? (
        <p>
          <Link to={mergeAddress(request.merge_id)}>See changes, who approved it, and revert</Link>
        </p>
      ) : null}
    </Box>
  );
}

function InHand({ place, request, role }: { place: RequestPlace; request: RequestDetail; role: Role | undefined }) {
  const queue = useRequestQueue(place);
  const isQueued = request.state === "queued";
  return (
    <Box
      kind="note"
      symbol={isQueued ? "⋯" : "▸"}
      title={isQueued ? "It waits in the merge queue" : `It is being merged into ${request.destination.name}`}
      actions={
        isQueued && isAtLeast(role, "contributor") ? (
          <Button isSmall disabled={queue.isPending} onClick={() => queue.mutate("leave")}>
            Take it out of the queue
          </Button>
        ) : null
      }
    >
      {isQueued && request.queued_at ? (
        <Muted as="p" isSmall>
          since <Time at={request.queued_at} />
        </Muted>
      ) : null}
      {request.task_id && !isQueued ? <StepsOf taskId={request.task_id} /> : null}
      {queue.error ? <Failure error={queue.error} /> : null}
    </Box>
  );
}

/** How far the merge is, where one looks already. */
function StepsOf({ taskId }: { taskId: string }) {
  const task = useTask(taskId).data;
  return (
    <>
      {task ? <TaskSteps task={task} /> : null}
      <Muted as="p" isSmall>
        You can close this page. <Link to={taskAddress(taskId)}>The task</Link> can be cancelled until the commit.
      </Muted>
    </>
  );
}

function MergeForm({ place, request, seen, role }: MergeProps) {
  const protection = useProtection(place.catalog, request.destination.name);
  const merge = useRequestMerge(place);
  const queue = useRequestQueue(place);
  const [isBypassing, setBypassing] = useState(false);
  const { blockers } = request;
  const isFree = blockers.length === 0 && seen?.mergeable === true && !seen.is_empty;
  const mayMerge = isAtLeast(role, protection.data?.is_protected ? protection.data.merge_role : "contributor");
  const mayBypass = isAtLeast(role, "owner") && protection.data?.is_protected === true && protection.data.allow_bypass;
  // Without a fingerprint: what was approved is judged again under the locks of both branches.
  const start = (bypass_reason: string) => merge.mutate({ fingerprint: "", bypass_reason }, { onSuccess: () => setBypassing(false) });
  const failure = merge.error ?? queue.error;
  return (
    <Box
      kind={blockers.length ? "amber" : isFree ? "fine" : "note"}
      symbol={blockers.length ? "○" : isFree ? "✓" : "…"}
      title={titleOf(request, seen, isFree)}
      actions={
        <>
          {mayBypass && blockers.length ? (
            <Button look="danger" onClick={() => setBypassing(true)}>
              Emergency bypass
            </Button>
          ) : null}
          {isFree && mayMerge ? (
            <Button disabled={queue.isPending} onClick={() => queue.mutate("enter")}>
              Put into the merge queue
            </Button>
          ) : null}
          <Button look="primary" disabled={!isFree || !mayMerge || merge.isPending} onClick={() => start("")}>
            <Icon name="merge" />
            {merge.isPending ? "Starting …" : `Merge into ${request.destination.name}`}
          </Button>
        </>
      }
    >
      <p className="row small">
        <span>{approvalsNeeded(request)}</span>
        {request.open_threads ? <span>{counted(request.open_threads, "open thread")}</span> : null}
        {isFree ? <span>Both branches are checked again during the merge.</span> : null}
      </p>
      <PolicyLines request={request} />
      <OwnerLines request={request} />
      <StepList place={place} steps={nextSteps(request)} />
      {protection.data && !mayMerge ? <p className="small">Minimum role to merge into {request.destination.name}: {protection.data.merge_role}.</p> : null}
      {failure && !isBypassing ? <Failure error={failure} /> : null}
      {isBypassing ? <BypassDialog branch={request.destination.name} run={merge} onBypass={start} onClose={() => setBypassing(false)} /> : null}
    </Box>
  );
}

function titleOf({ blockers, destination }: RequestDetail, seen: Comparison | undefined, isFree: boolean): string {
  if (blockers.length) return "Not ready to merge";
  if (isFree) return "Ready to merge";
  return seen?.is_empty ? `Already up to date: ${destination.name} has every commit of the source.` : "The branches are being compared …";
}

function approvalsNeeded(request: RequestDetail): string {
  const isAsked = request.required_approvals + request.approvals + request.stale_approvals + request.objections > 0;
  return isAsked ? approvalsText(request, request.required_approvals) : "No approval is required.";
}

function StepList({ place, steps }: { place: RequestPlace; steps: readonly Step[] }) {
  if (steps.length === 0) return null;
  return (
    <ul className={todoList.list} aria-label="What is left to do">
      {steps.map(({ text, tab, action }) => (
        <li key={text}>
          {text} {tab ? <Link to={`${requestAddress(place.catalog, place.number)}?tab=${tab}`}>{action}</Link> : null}
        </li>
      ))}
    </ul>
  );
}

function Box({ kind, symbol, title, actions, children }: { kind: string; symbol: string; title: string; actions?: ReactNode; children?: ReactNode }) {
  return (
    <section className={classes("notice", kind, styles.box)} aria-label="Merge">
      <span className="symbol" aria-hidden="true">
        {symbol}
      </span>
      <div className="row apart">
        <strong aria-live="polite">{title}</strong>
        {actions ? <div className="row">{actions}</div> : null}
      </div>
      {children}
    </section>
  );
}
