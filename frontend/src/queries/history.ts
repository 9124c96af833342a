import { useInfiniteQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { HistoryFilter } from "../api/paths";

const PAGE = 100;
/** More than a commit's entry holds, so that the first page adds some. */
const OPERATIONS_PAGE = 200;

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

/** What a commit did, all of it: its entry in the history holds the first operations alone. */
export function useCommitOperations(catalog: string, branch: string, version: number, enabled: boolean) {
  return useInfiniteQuery({
    enabled,
    queryKey: ["catalog", catalog, "branch", branch, "operations", version],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: OPERATIONS_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const params = { path: { catalog, branch, version }, query };
      return body(
        client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/history/{version}/operations/", { params, signal }),
      );
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}
