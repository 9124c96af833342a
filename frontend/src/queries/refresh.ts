import type { QueryClient, QueryKey } from "@tanstack/react-query";

/** After a write: what is on the page is asked for anew, and what pages that were left had kept is dropped, so that nobody
 * sees the state from before his own write for a moment. */
export function refresh(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  queries.removeQueries({ queryKey, type: "inactive" });
  return queries.invalidateQueries({ queryKey });
}
