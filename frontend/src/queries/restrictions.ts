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

/** A table of a branch as others see it; with a filter or masks as if these were set for them. */
export interface Seen {
  branch: string;
  /** By its names, or by its id, whatever the branch calls it. */
  table: { database: string; table: string } | { table_id: number };
  whom: Whom;
  row_filter?: string;
  masks?: Record<string, string>;
}

const SHOWN = 20;

export function useRestrictionPreview(catalog: string) {
  return useMutation({ mutationFn: (seen: Seen) => previewed(catalog, seen) });
}

/** What is set leaves of the table, read at once. */
export function useSeenTable(catalog: string, seen: Seen) {
  return useQuery({
    queryKey: ["catalog", catalog, "restrictions", "preview", seen],
    queryFn: ({ signal }) => previewed(catalog, seen, signal),
    // A preview takes a query of the compute engine.
    refetchOnWindowFocus: false,
  });
}

function previewed(catalog: string, { whom, table, ...rest }: Seen, signal?: AbortSignal) {
  const people = "role" in whom ? { role: whom.role as RestrictedRole } : whom;
  const asked = { ...rest, ...table, ...people, reader: "", limit: SHOWN };
  return body(client.POST("/api/v1/catalogs/{catalog}/restrictions/preview/", { params: { path: { catalog } }, body: asked, ...(signal ? { signal } : {}) }));
}
