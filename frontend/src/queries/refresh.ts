import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

/** After a write: what is on the page is asked for anew, and what pages that were left had kept is dropped, so that no one
 * sees the state from before his own write for a moment. What begins with `gone` is not asked for: the write dropped or
 * renamed it, and its page is about to be left. */
export async function refresh(queries: QueryClient, queryKey: QueryKey, gone?: QueryKey): Promise<void> {
  queries.removeQueries({ queryKey, type: "inactive" });
  if (gone) await queries.invalidateQueries({ queryKey: gone, refetchType: "none" });
  const isKept = (query: Query) => !gone?.every((part, at) => query.queryKey[at] === part);
  // A first answer that is on its way may be from before the write, and would stay: it is not awaited.
  await queries.cancelQueries({ queryKey, type: "active", predicate: (query) => query.state.data === undefined && isKept(query) });
  await queries.invalidateQueries({ queryKey, predicate: isKept });
}
