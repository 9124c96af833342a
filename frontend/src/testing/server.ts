/** A server for tests of pages: bodies by address, and what was asked. */
import { vi } from "vitest";

import { CONFLICT, FINE } from "./findings";
import rules from "./rules.json";

export interface Asked {
  method: string;
  address: string;
  headers: Headers;
  body: unknown;
}

type Answer = object | ((asked: Asked) => Response | Promise<Response>);

/** Answers the addresses (path, with or without its query) and 404 problems for all others. */
export function serve(answers: Record<string, Answer>): Asked[] {
  const asked: Asked[] = [];
  const known: Record<string, Answer> = { ...EVERYWHERE, ...answers };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    const entry = { method: request.method, address: pathname + search, headers: request.headers, body: text ? (JSON.parse(text) as unknown) : null };
    asked.push(entry);
    const answer = known[`${request.method} ${pathname}`] ?? known[pathname + search] ?? known[pathname];
    if (answer === undefined) return problem(404, { code: "NOT_FOUND", title: "Not found", detail: `There is no ${pathname}.` });
    return typeof answer === "function" ? (answer as (asked: Asked) => Response | Promise<Response>)(entry) : json(answer);
  });
  return asked;
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

export function problem(status: number, document: Record<string, unknown>): Response {
  return json({ status, ...document }, status, { "Content-Type": "application/problem+json" });
}

const time = "2026-01-01T00:00:00Z";
const lastCommit = { version: 16, branch: "main", time, operation: "INSERT", author: "alice" };

export const MAIN = {
  name: "main", branch_id: 1, parent: null, fork_version: 0, head_version: 16, created_at: time, created_by: "",
  is_main: true, is_dropped: false, dropped_at: null, expires_at: null, expiry_waits_for: null, last_commit: lastCommit, ahead: null, behind: null,
};
export const DELAYS = {
  ...MAIN, name: "delays", branch_id: 2, parent: "main", fork_version: 11, head_version: 15, is_main: false, ahead: 2, behind: 1,
};
const DEMO = { name: "demo", comment: "", created_at: time, branch_count: 2, commit_count: 16, last_commit: lastCommit };

export function page(results: readonly unknown[], next: string | null = null) {
  return { next, previous: null, results };
}

const EVERYWHERE = {
  "/api/v1/catalogs/": page([DEMO]),
  "/api/v1/catalogs/demo/branches/": page([MAIN, DELAYS]),
  "/api/v1/catalogs/demo/tags/": page([]),
  "/api/v1/tasks/": page([]),
  "/api/v1/inbox/": page([]),
  "/api/v1/pipelines/": page([]),
  "POST /api/v1/pipelines/validate/": { configuration: null, errors: [] },
  "/api/v1/catalogs/demo/branches/main/protection/": { is_protected: false, required_approvals: 0, required_checks: [], refuse_direct_merges: false },
  "/api/v1/rules/": rules,
};

export const BRINGS_NOTHING = { rows_inserted: 0, rows_updated: 0, rows_deleted: 0, rows_are_exact: true, columns_added: 0, columns_dropped: 0, columns_changed: 0 };
export const BRINGS_IN_ALL = { ...BRINGS_NOTHING, tables_created: 0, tables_dropped: 0, tables_changed: 0, databases_created: 0, databases_dropped: 0, databases_changed: 0 };

export const COMPARED = [
  { kind: "table", object_id: 5, name: "flights.flights", database: "flights", action: "alter", source_ops: ["column", "update"], dest_ops: ["insert"], verdict: "conflict", codes: ["PREDICATE_DML_VS_INSERT"], brings: { ...BRINGS_NOTHING, rows_updated: 610, columns_added: 1 }, newest_version: 16 },
  { kind: "table", object_id: 7, name: "flights.planes", database: "flights", action: "alter", source_ops: ["delete"], dest_ops: ["overwrite"], verdict: "note", codes: ["DISCARDED_DELETE"], brings: BRINGS_NOTHING, newest_version: 12 },
  { kind: "table", object_id: 8, name: "flights.weather", database: "flights", action: "alter", source_ops: ["insert"], dest_ops: [], verdict: "ok", codes: [], brings: { ...BRINGS_NOTHING, rows_inserted: 36 }, newest_version: 13 },
];

export const COMPARISON = {
  source: { catalog: "demo", name: "delays", branch_id: 2, head_version: 15 },
  destination: { catalog: "demo", name: "main", branch_id: 1, head_version: 16 },
  merge_base: 11, ahead: 2, behind: 1, mergeable: false, is_empty: false, fingerprint: "f", rules_digest: "d",
  counts: { objects: 3, conflict: 1, note: 1, ok: 1, new: 0, tables_in_conflict: 1, conflicts: 1, conflicting_rows: 0, notes: 1 },
  brings: { ...BRINGS_IN_ALL, rows_updated: 610, rows_inserted: 36, columns_added: 1, tables_changed: 3 },
  databases: [{ name: "flights", objects: 3, conflict: 1 }], next: null, results: COMPARED,
};

const FILES = [
  { file_id: 3, path: "demo/flights/old.parquet", is_new: false },
  { file_id: 9, path: "demo/flights/new.parquet", is_new: true },
];
const commit = { branch: "delays", author: "alice", time, rows: 610, files_added: 1, files_touched: 1, files: FILES };

/** The conflict of the demo lake, or another object of which nothing met. */
export function comparedObject(place: number) {
  const object = COMPARED[place] ?? COMPARED[0];
  const isConflict = object?.verdict === "conflict";
  return {
    ...object, source_head: 15, destination_head: 16, merge_base: 11, rule_table: "table",
    cells: isConflict ? [CONFLICT, FINE] : [],
    source_commits: [{ ...commit, version: 15, operation: "UPDATE", statement: "UPDATE flights.flights SET x = 1", operations: [{ kind: "update", metrics: {}, changed: [] }] }],
    dest_commits: isConflict ? [{ ...commit, branch: "main", version: 16, operation: "INSERT", statement: "INSERT INTO flights.flights VALUES (1)", operations: [{ kind: "insert", metrics: { rows_inserted: 2 }, changed: [] }] }] : [],
    columns: [], properties: [], names: { base: object?.name, source: object?.name, destination: object?.name, result: object?.name },
    partitions: { source: [], destination: [] }, files: null, preview: null,
  };
}
