import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { PlacedStatement } from "../../model/statements";
import { refresh } from "../../queries/refresh";
import { statementRun, type Outcome } from "../../queries/statements";
import type { useSqlSession } from "./use-sql-session";

/** A statement that ran. */
export interface Run {
  session: string;
  statement: string;
  outcome: Outcome;
  milliseconds: number;
}

/** Statements that were started together: one after the other, until one fails or becomes a task. */
export interface Execution {
  statements: readonly PlacedStatement[];
  runs: readonly Run[];
  /** What stopped it, with the statement that it is about; of the session before any ran. */
  failed: { at: PlacedStatement; error: Error } | undefined;
}

/** Runs statements in the session of the tab. `now` is the statement that runs. */
export function useRuns(catalog: string, session: ReturnType<typeof useSqlSession>) {
  const queries = useQueryClient();
  const [execution, setExecution] = useState<Execution>();
  const [now, setNow] = useState<PlacedStatement>();
  const run = useMutation({
    mutationFn: async (statements: readonly PlacedStatement[]) => {
      const runs: Run[] = [];
      let id: string | undefined;
      for (const at of statements) {
        setNow(at);
        try {
          id ??= await session.ready();
          const begun = performance.now();
          const outcome = await statementRun({ session: id, statement: at.text });
          runs.push({ session: id, statement: at.text, outcome, milliseconds: performance.now() - begun });
          setExecution({ statements, runs: [...runs], failed: undefined });
          // A statement behind it would not see what the task does.
          if (outcome.kind === "task") break;
        } catch (error) {
          session.failed(error);
          setExecution({ statements, runs: [...runs], failed: { at, error: error instanceof Error ? error : new Error(String(error)) } });
          break;
        }
      }
      // What the statements did stands, whether or not it can be seen where the session is.
      if (id !== undefined && runs.length > 0) session.follow(id).catch(session.failed);
      // Not waited for: until this is over the next statement is not taken.
      void refresh(queries, ["catalog", catalog]);
    },
    onSettled: () => setNow(undefined),
  });
  return { execution, now, isRunning: run.isPending, start: run.mutate };
}
