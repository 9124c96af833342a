/** Running SQL: every write of the pages is a statement that a person could have typed. */
import { useMutation, useQueryClient, type QueryKey } from "@tanstack/react-query";

import { body, client } from "../api/client";
import type { components } from "../api/schema";
import { fileSave } from "../model/export";
import type { ParentMerge } from "../model/parent-merge";
import { searchText } from "../model/search-text";
import { refresh } from "./refresh";
import { isFinished, type Task } from "./tasks";
import { userName } from "./user";

export type StatementAnswer = components["schemas"]["StatementAnswer"] & { merge_id?: string; outcome?: string; parent_merge?: ParentMerge };
export type Outcome = { kind: "answer"; answer: StatementAnswer } | { kind: "task"; task: Task };

export type SqlSession = components["schemas"]["SessionAnswer"];

/** A statement of a session, which says where it runs. */
export interface SessionStatement {
  session: string;
  statement: string;
}

export interface Statement {
  catalog: string | null;
  branch: string;
  statement: string;
  /** Why an owner goes past the protection of the branch this once. */
  bypass_reason?: string;
}

/** How long the browser holds a request open before it watches the task instead. */
const PATIENCE_SECONDS = 20;

export async function statementRun(
  statement: Statement | SessionStatement,
  { prefer = `wait=${PATIENCE_SECONDS}`, once = false }: { prefer?: string; once?: boolean } = {},
): Promise<Outcome> {
  const header = { Prefer: prefer, ...(once ? { "Idempotency-Key": randomKey() } : {}) };
  const answer = await body(
    client.POST("/api/v1/sql/", { params: { header }, body: bodyOf(statement) }),
  );
  if (typeof answer === "string") throw new Error("The server sent a file.");
  return "columns" in answer ? { kind: "answer", answer } : { kind: "task", task: answer };
}

type StatementBody = components["schemas"]["StatementRequest"];

/** What has a default in the document counts as there in its types; beside a session it must not be sent. */
function bodyOf(statement: Statement | SessionStatement): StatementBody {
  return "session" in statement ? (statement as StatementBody) : { transaction: null, bypass_reason: "", ...statement };
}

export function sessionOpen(place: { catalog: string; branch: string }): Promise<SqlSession> {
  return body(client.POST("/api/v1/sessions/", { body: place }));
}

export function sessionGet(id: string, signal: AbortSignal): Promise<SqlSession> {
  return body(client.GET("/api/v1/sessions/{session_id}/", { params: { path: { session_id: id } }, signal }));
}

/** Ask the person's own newest task of this statement, or query, to stop; the server answers the request then. */
export async function statementCancel({ catalog, statement }: { catalog: string; statement: string }): Promise<void> {
  const query = { created_by: userName(), search: searchText(statement), limit: 50 };
  const found = await body(client.GET("/api/v1/tasks/", { params: { query } }));
  const running = found.results.find(
    ({ state, parameters }) => !isFinished(state) && said(parameters, "statement") === statement && said(parameters, "catalog") === catalog,
  );
  if (running) await body(client.POST("/api/v1/tasks/{task_id}/cancel/", { params: { path: { task_id: running.id } } }));
}

function said(parameters: unknown, name: string): unknown {
  return (parameters as Record<string, unknown> | null)?.[name];
}

const MEDIA_TYPES = { csv: "text/csv", parquet: "application/vnd.apache.parquet" } as const;
export type DownloadKind = keyof typeof MEDIA_TYPES;

/** The whole result of a SELECT as a file. Texts that a spreadsheet would run as formulas are kept from it in CSV. */
export function useDownload() {
  return useMutation({
    mutationFn: async ({ kind, ...statement }: SessionStatement & { kind: DownloadKind }) => {
      const answer = client.POST("/api/v1/sql/", {
        body: { ...bodyOf(statement), escape_formulas: kind === "csv" },
        headers: { Accept: MEDIA_TYPES[kind] },
        parseAs: "blob",
      });
      const file = await body(answer);
      fileSave(nameOf((await answer).response) ?? `result.${kind}`, file);
    },
  });
}

/** The file's name as the server gives it. */
function nameOf(response: Response): string | undefined {
  return /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
}

/** A short statement of the pages themselves; what was known about the catalog is asked for anew, but for `gone`. */
export function useStatement(gone?: QueryKey) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (statement: Statement) => statementRun(statement),
    onSuccess: (_, { catalog }) => refresh(queries, catalog ? ["catalog", catalog] : ["catalogs"], gone),
  });
}

/** A statement that only reads. */
export function useRead() {
  return useMutation({ mutationFn: (statement: Statement) => statementRun(statement) });
}

/** Work that may take long: answers the task at once, and is done once even when the request is repeated. */
export function useTaskStart() {
  return useMutation({
    mutationFn: async (statement: Statement) => {
      const outcome = await statementRun(statement, { prefer: "respond-async", once: true });
      if (outcome.kind !== "task") throw new Error("The server did not make a task of this.");
      return outcome.task;
    },
  });
}

export function randomKey(): string {
  // crypto.randomUUID is missing where a page came over plain HTTP from another machine.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
