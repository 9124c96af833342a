import { useInfiniteQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { HistoryFilter } from "../api/paths";

const PAGE = 100;

/** Newest first, inherited commits included. */
export function useBranchHistory(catalog: string, branch: string, filter: HistoryFilter = {}) {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "branch", branch, "history", filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const path = { catalog, branch };
      return body(
        client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/history/", { params: { path, query }, signal }),
      );
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}
