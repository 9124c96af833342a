import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { PlacedStatement } from "../../model/statements";
import { refresh } from "../../queries/refresh";
import { statementRun, type Outcome } from "../../queries/statements";
import type { useSqlSession } from "./use-sql-session";

/** A branch on which a statement ran. */
export interface RunPlace {
  catalog: string;
  branch: string;
}

/** Statements behind one of these run elsewhere, or commit later. */
const MOVES = /^\s*(use|begin|start|set\s+catalog)\b/i;

/** A statement that ran. `place`: where it committed; undefined in a transaction, and where a statement before it moved
 * the session. */
export interface Run {
  session: string;
  place: RunPlace | undefined;
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
      let place: RunPlace | undefined;
      for (const at of statements) {
        setNow(at);
        try {
          if (id === undefined) ({ id, place } = await session.ready());
          if (MOVES.test(at.text)) place = undefined;
          const begun = performance.now();
          const outcome = await statementRun({ session: id, statement: at.text });
          runs.push({ session: id, place, statement: at.text, outcome, milliseconds: performance.now() - begun });
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
