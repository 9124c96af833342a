import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";

import { asProblem } from "../../api/problem";
import { quoted } from "../../model/sql";
import { sessionGet, sessionOpen, statementRun, type SqlSession } from "../../queries/statements";
import type { RunPlace } from "./use-runs";

/** What this tab remembers: its session, and the branch of the page that the session follows. */
interface Kept {
  id: string;
  branch: string;
}

/** How often an open transaction is looked at: it may expire, or end as a task. */
const LOOK_EVERY = 30_000;

/** The session of this tab in this catalog: opened by the first statement, kept over reloads until it ends. */
export function useSqlSession(catalog: string, branch: string, moveTo: (branch: string) => void) {
  const key = `lakeui.session.${catalog}`;
  const queries = useQueryClient();
  const [kept, setKept] = useState<Kept | undefined>(() => stored(key));
  const [hasEnded, setEnded] = useState(false);
  const keep = useCallback(
    (next: Kept | undefined) => {
      if (next === undefined) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(next));
      setKept(next);
      setEnded(next === undefined);
    },
    [key],
  );
  const place = useQuery({
    queryKey: ["sql-session", kept?.id],
    queryFn: async ({ signal }) => {
      try {
        return await sessionGet(kept?.id ?? "", signal);
      } catch (error) {
        if (isOver(error)) keep(undefined);
        throw error;
      }
    },
    enabled: kept !== undefined,
    retry: false,
    refetchInterval: (query) => (query.state.data?.transaction ? LOOK_EVERY : false),
  });

  const now = kept === undefined ? undefined : place.data;
  const hasTransaction = now !== undefined && now.transaction !== null;
  // A transaction stays on its branch, so the page does: else neither a statement nor COMMIT would reach it.
  const heldOn = hasTransaction && now.catalog === catalog ? now.branch : branch;
  useEffect(() => {
    if (heldOn !== branch) moveTo(heldOn);
  }, [heldOn, branch, moveTo]);

  /** The session, which then is on the branch of the page, and where its statements commit; one with a transaction stays
   * where it is, and commits later. */
  const ready = async (): Promise<{ id: string; place: RunPlace | undefined }> => {
    const here = { catalog, branch };
    if (kept === undefined) {
      const { id } = await sessionOpen(here);
      keep({ id, branch });
      return { id, place: here };
    }
    if (hasTransaction) return { id: kept.id, place: undefined };
    if (kept.branch !== branch) {
      await statementRun({ session: kept.id, statement: `USE BRANCH ${quoted(catalog)}.${quoted(branch)}` });
      keep({ ...kept, branch });
      // Also where the statement behind it fails, the page says where it ran.
      queries.setQueryData(["sql-session", kept.id], (known: SqlSession | undefined) => known && { ...known, ...here });
    }
    return { id: kept.id, place: now === undefined || now.branch === branch || kept.branch !== branch ? here : undefined };
  };

  /** Look where the session is after a statement; the page goes where `USE BRANCH` went. */
  const follow = async (id: string): Promise<void> => {
    const now = await queries.query({ queryKey: ["sql-session", id], queryFn: ({ signal }) => sessionGet(id, signal), staleTime: 0 });
    if (now.catalog !== catalog || now.branch === branch) return;
    keep({ id, branch: now.branch });
    moveTo(now.branch);
  };

  /** After an error: a session that ended is forgotten, so that the next statement begins a new one. */
  const failed = (error: unknown): void => {
    if (isOver(error)) keep(undefined);
  };

  /** Where the next statement runs: a session without a transaction goes first to the branch of the page. */
  const next = now && kept?.branch !== branch && !hasTransaction ? { ...now, catalog, branch } : now;
  return { place: next, hasEnded, ready, follow, failed };
}

/** Whether there is no such session any more. */
function isOver(error: unknown): boolean {
  const { code, members } = asProblem(error);
  return code === "NOT_FOUND" && members.kind === "session";
}

function stored(key: string): Kept | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(key) ?? "null") as Partial<Kept> | null;
    return typeof found?.id === "string" && typeof found.branch === "string" ? { id: found.id, branch: found.branch } : undefined;
  } catch {
    return undefined;
  }
}

/** Where a session is, in words: "demo · delays · flights, in a transaction". */
export function placeText({ catalog, branch, database, transaction }: SqlSession): string {
  const place = [catalog ?? "no catalog", branch, database].filter(Boolean).join(" · ");
  if (transaction === null) return place;
  return `${place}, ${transaction.state === "open" ? "in a transaction" : "its transaction expired: ROLLBACK ends it"}`;
}
