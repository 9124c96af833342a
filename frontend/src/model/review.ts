/** What a merge request's page says: its state, what is left to do and by whom. */
import type { ComparedObject, Comparison, MergeRequest, RequestDetail, RequestState } from "../api/resources";
import { count, counted } from "./format";

export interface StateMark {
  symbol: string;
  word: string;
  /** Class of a badge; empty for none. */
  kind: "fine" | "conflict" | "note" | "amber" | "person" | "";
}

export const STATE_MARKS: Record<RequestState, StateMark> = {
  draft: { symbol: "◌", word: "draft", kind: "" },
  open: { symbol: "○", word: "open", kind: "note" },
  changes_requested: { symbol: "↩", word: "changes requested", kind: "amber" },
  approved: { symbol: "✓", word: "approved", kind: "fine" },
  queued: { symbol: "⋯", word: "queued", kind: "note" },
  merging: { symbol: "▸", word: "merging", kind: "note" },
  merged: { symbol: "●", word: "merged", kind: "fine" },
  conflicted: { symbol: "✕", word: "conflict", kind: "conflict" },
  closed: { symbol: "–", word: "closed", kind: "" },
};

export const UNFINISHED: readonly RequestState[] = ["draft", "open", "changes_requested", "approved", "queued", "merging", "conflicted"];

export function isFinishedState(state: RequestState): boolean {
  return !UNFINISHED.includes(state);
}

/** Neither finished nor in lakeui's hands: people may edit, review and decide. */
export function isWithPeople(state: RequestState): boolean {
  return !isFinishedState(state) && state !== "queued" && state !== "merging";
}

/** `2 of 2 approvals, 1 stale`; without what is required where that is not known. */
export function approvalsText(request: Pick<MergeRequest, "approvals" | "stale_approvals" | "objections">, required?: number): string {
  const given = required ? `${count(request.approvals)} of ${counted(required, "approval")}` : counted(request.approvals, "approval");
  const stale = request.stale_approvals ? [`${count(request.stale_approvals)} stale`] : [];
  const against = request.objections ? [`${counted(request.objections, "person requests", "people request")} changes`] : [];
  return [given, ...stale, ...against].join(", ");
}

/** Why approvals went stale, in one clause each: `alice saw the source at version 4, it is at 5`. */
export function staleReasons(votes: RequestDetail["votes"]): string[] {
  return votes.filter((vote) => vote.is_stale).map((vote) => `${vote.reviewer} ${vote.reason}`);
}

export type Blocker = RequestDetail["blockers"][number];

/** What the server knows to be in the way, and the conflicts of the live comparison, counted as the comparison does. */
export function withLiveConflicts(request: RequestDetail, counts: Comparison["counts"] | undefined): RequestDetail {
  if (!counts?.conflicts) return request;
  const found: Blocker = { code: "CONFLICTS", message: `${conflictsText(counts)}.` };
  return { ...request, blockers: [...request.blockers.filter(({ code }) => code !== "CONFLICTS"), found] };
}

/** In one unit on every page: `2 tables, 4 rows in conflict`. */
export function conflictsText({ conflict, tables_in_conflict, conflicting_rows }: Comparison["counts"]): string {
  const unit = tables_in_conflict === conflict ? "table" : tables_in_conflict === 0 ? "database" : "object";
  return `${counted(conflict, unit)}${conflicting_rows ? `, ${counted(conflicting_rows, "row")}` : ""} in conflict`;
}

/** Names of objects by `kind:id`, as far as a comparison has them. */
export function namesOf(objects: readonly ComparedObject[]): ReadonlyMap<string, string> {
  return new Map(objects.map((object) => [`${object.kind}:${object.object_id}`, object.name]));
}

/** One thing that is left to do: a sentence, and on which tab of the request it is done. */
export interface Step {
  text: string;
  tab?: "compare" | "checks";
  action?: string;
}

/** Where a step is done, and what the link to it says. */
const WHERE: Partial<Record<Blocker["code"], Required<Omit<Step, "text">>>> = {
  CONFLICTS: { tab: "compare", action: "Resolve" },
  CHECK_MISSING: { tab: "checks", action: "Run the checks" },
  CHECK_FAILED: { tab: "checks", action: "See what it found" },
};

/** Who must still do what before the request can be merged; one sentence each, none when it is finished or in hand. */
export function nextSteps(request: RequestDetail): Step[] {
  if (!isWithPeople(request.state)) return [];
  const steps = request.blockers.flatMap((blocker) => stepsFor(blocker, request).map((text) => ({ text, ...WHERE[blocker.code] })));
  return [...new Map(steps.map((step) => [step.text, step])).values()];
}

function stepsFor({ code, message }: Blocker, request: RequestDetail): string[] {
  switch (code) {
    case "DRAFT":
      return [`${request.author} marks it as ready.`];
    case "CHANGES_REQUESTED":
      return request.votes
        .filter((vote) => vote.verdict === "request_changes")
        .map((vote) => `${request.author} answers ${vote.reviewer}, who then approves or withdraws.`);
    case "APPROVALS_MISSING":
      return approvalSteps(request);
    case "POLICY_MISSING":
      return ["lakeui judges the merge policies and owners on what the branches hold now."];
    case "OWNER_MISSING":
      return [message];
    case "CHECK_MISSING":
      return [`${message} Anyone who may merge can run it.`];
    case "CHECK_FAILED":
      return [`${message} ${request.author} corrects the source.`];
    case "STATUS_MISSING":
      return [`${message} The system that reports it runs again.`];
    case "STATUS_FAILED":
      return [`${message} ${request.author} corrects the source.`];
    case "CONFLICTS":
      return [`${message} Anyone with write access can resolve that.`];
    case "BRANCH_GONE":
      return [`${message} Undrop it, or close the request.`];
  }
}

function approvalSteps(request: RequestDetail): string[] {
  const spoke = new Set(request.votes.filter((vote) => vote.verdict !== "withdraw").map((vote) => vote.reviewer));
  const again = request.votes.filter((vote) => vote.is_stale).map((vote) => `${vote.reviewer} looks again.`);
  const asked = request.reviewers.filter((name) => !spoke.has(name)).map((name) => `${name} reviews it.`);
  const left = request.required_approvals - request.approvals - again.length - asked.length;
  const more = left > 0 ? [`${counted(left, "more reviewer approves", "more reviewers approve")} it.`] : [];
  return [...again, ...asked, ...more];
}

/** Branch of a request as a comparison names it: with its catalog where that is another. */
export function sourceName(request: Pick<MergeRequest, "source" | "destination">): string {
  const { catalog, name } = request.source;
  return catalog === request.destination.catalog ? name : `${catalog}.${name}`;
}
