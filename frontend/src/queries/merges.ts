import { useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { RecordKind } from "../api/paths";
import type { components } from "../api/schema";

export type MergeSummary = components["schemas"]["MergeSummary"];

/** Records of one kind, newest first; of merges every attempt: merged, refused, dry runs. */
export function useMerges(catalog: string, kind: RecordKind) {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "merges", kind],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { catalog, kind, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/merges/", { params: { query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

export function useMerge(mergeId: string, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ["merge", mergeId],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/merges/{merge_id}/", { params: { path: { merge_id: mergeId } }, signal })),
    staleTime: 0, // a later revert is added to the record
  });
}
