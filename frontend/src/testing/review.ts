/** A merge request of the demo lake's conflict, and what belongs to it, for tests. */
import type { Comment, RequestDetail, Resolution, TimelineEvent } from "../api/resources";

const time = "2026-01-02T00:00:00Z";
const branch = { catalog: "demo", is_dropped: false };

export function request(given: Partial<RequestDetail> = {}): RequestDetail {
  return {
    number: 3,
    title: "Delay reasons",
    state: "open",
    author: "alice",
    source: { ...branch, name: "delays", branch_id: 2, head_version: 15 },
    destination: { ...branch, name: "main", branch_id: 1, head_version: 16 },
    labels: ["weekly"],
    reviewers: ["bob"],
    created_at: time,
    updated_at: time,
    queued_at: null,
    approvals: 0,
    stale_approvals: 0,
    objections: 0,
    comments: 0,
    open_threads: 0,
    conflicts: 0,
    description: "Why **flights** are late.",
    description_html: "<p>Why <strong>flights</strong> are late.</p>",
    revision: 4,
    task_id: null,
    merge_id: null,
    required_approvals: 2,
    votes: [],
    blockers: [{ code: "APPROVALS_MISSING", message: "0 of 2 approvals count for what the branches hold now." }],
    policies: [],
    owners: [],
    spot_rows: [],
    spot_code: "",
    mergeable: false,
    planned: null,
    left_out: [],
    undone_by: null,
    ...given,
  };
}

export function event(given: Partial<TimelineEvent>): TimelineEvent {
  return { number: 1, kind: "opened", actor: "alice", at: time, from_state: "", to_state: "open", reason: "", details: { source_head: 15, destination_head: 16 }, ...given };
}

export function comment(given: Partial<Comment>): Comment {
  return {
    id: 1,
    thread: null,
    author: "bob",
    body: "Why?",
    body_html: "<p>Why?</p>",
    suggestion: null,
    place: "request",
    object_kind: "",
    object_id: null,
    object_name: "",
    rule_table: "",
    source_op: "",
    dest_op: "",
    row_key: "",
    column_id: null,
    column_name: "",
    created_at: time,
    edited_at: null,
    is_deleted: false,
    resolved_at: null,
    resolved_by: null,
    ...given,
  };
}

export function resolution(given: Partial<Resolution>): Resolution {
  return {
    id: 8,
    author: "alice",
    object_kind: "table",
    object_id: 5,
    decision: "source",
    part: "object",
    part_key: "",
    name: "",
    value: "",
    object: "flights.flights",
    column: "",
    effect: "",
    rows_left_out: 0,
    source_head: 15,
    destination_head: 16,
    is_current: true,
    created_at: time,
    ...given,
  };
}

export const APPROVAL: RequestDetail["votes"][number] = { review: 1, reviewer: "bob", verdict: "approve", counts: true, is_stale: false, reason: "" };
export const STALE: RequestDetail["votes"][number] = {
  ...APPROVAL,
  counts: false,
  is_stale: true,
  reason: "saw the target at version 13, it is at 16",
};
export const UNPROTECTED = {
  is_protected: false, patterns: [], required_approvals: 0, required_checks: [], required_statuses: [], merge_role: "contributor", refuse_direct_writes: false,
  refuse_direct_merges: false, refuse_deletion: false, refuse_stale_reads: false, allow_queue_unchanged: true, allow_bypass: true, policies: [], owners: [], require_owner_approval: false,
};
export const PROTECTED = {
  ...UNPROTECTED, is_protected: true, patterns: ["main"], required_approvals: 2, merge_role: "maintainer", refuse_direct_writes: true, refuse_direct_merges: true, refuse_deletion: true,
};
