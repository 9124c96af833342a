import { useInfiniteQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";

/** Dropped databases and tables of a branch, the last dropped first. */
export function useTrash(catalog: string, branch: string) {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "branch", branch, "trash"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { catalog, branch }, query: pageParam === null ? {} : { cursor: pageParam } };
      return body(client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/trash/", { params, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}
