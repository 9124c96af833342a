import { useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { components } from "../api/schema";

export type MergeSummary = components["schemas"]["MergeSummary"];

/** Attempts to merge, newest first: merged, refused, dry runs. */
export function useMerges(catalog: string) {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "merges"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { catalog, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/merges/", { params: { query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

export function useMerge(mergeId: string) {
  return useQuery({
    queryKey: ["merge", mergeId],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/merges/{merge_id}/", { params: { path: { merge_id: mergeId } }, signal })),
    staleTime: Infinity, // records are append-only
  });
}
