import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { RestrictedRole } from "../api/resources";
import type { Whom } from "../model/restrictions";

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

/** A table of main as others see it; with a filter or masks as if these were set for them. */
export interface Seen {
  database: string;
  table: string;
  whom: Whom;
  row_filter?: string;
  masks?: Record<string, string>;
}

const SHOWN = 20;

export function useRestrictionPreview(catalog: string) {
  return useMutation({
    mutationFn: ({ whom, ...rest }: Seen) => {
      const people = "role" in whom ? { role: whom.role as RestrictedRole } : whom;
      const asked = { ...rest, ...people, branch: "main", reader: "", limit: SHOWN };
      return body(client.POST("/api/v1/catalogs/{catalog}/restrictions/preview/", { params: { path: { catalog } }, body: asked }));
    },
  });
}
