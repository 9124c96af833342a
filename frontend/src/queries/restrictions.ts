import { useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";

/** What is hidden of a table, and from whom. */
export function useRestrictions(catalog: string, tableId: number) {
  return useQuery({
    queryKey: ["catalog", catalog, "restrictions", tableId],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/catalogs/{catalog}/restrictions/", { params: { path: { catalog }, query: { table_id: tableId, limit: 100 } }, signal }),
      ),
  });
}

/** The same of all tables of the catalog. */
export function useAllRestrictions(catalog: string) {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "restrictions"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 100, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/catalogs/{catalog}/restrictions/", { params: { path: { catalog }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}
