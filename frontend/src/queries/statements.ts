/** Running SQL: every write of the pages is a statement that a person could have typed. */
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { body, client } from "../api/client";
import type { components } from "../api/schema";
import type { Task } from "./tasks";

export type StatementAnswer = components["schemas"]["StatementAnswer"] & { merge_id?: string };
export type Outcome = { kind: "answer"; answer: StatementAnswer } | { kind: "task"; task: Task };

export interface Statement {
  catalog: string | null;
  branch: string;
  statement: string;
}

/** How long the browser holds a request open before it watches the task instead. */
const PATIENCE_SECONDS = 20;

export async function statementRun(
  statement: Statement,
  { prefer = `wait=${PATIENCE_SECONDS}`, once = false }: { prefer?: string; once?: boolean } = {},
): Promise<Outcome> {
  const header = { Prefer: prefer, ...(once ? { "Idempotency-Key": randomKey() } : {}) };
  const answer = await body(client.POST("/api/v1/sql/", { params: { header }, body: { transaction: null, bypass_reason: "", ...statement } }));
  return "columns" in answer ? { kind: "answer", answer } : { kind: "task", task: answer };
}

/** A short statement of the pages themselves; what was known about the catalog is asked for anew. */
export function useStatement() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (statement: Statement) => statementRun(statement),
    onSuccess: (_, { catalog }) => queries.invalidateQueries({ queryKey: catalog ? ["catalog", catalog] : ["catalogs"] }),
  });
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

function randomKey(): string {
  // crypto.randomUUID is missing where a page came over plain HTTP from another machine.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
