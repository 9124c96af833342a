import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useIsFetching, useMutation, useQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { CompareFilter } from "../api/paths";
import type { ObjectKind } from "../api/resources";
import { keptWithin } from "./kept";

export interface Pair {
  catalog: string;
  source: string;
  destination: string;
  /** Number of the merge request whose decisions about conflicts count. */
  request?: number;
  /** The request is merged: its comparison is another one than that of the branches before. */
  isMerged?: boolean;
}

const AT = "/api/v1/catalogs/{catalog}/compare/{source}...{destination}";

/** What the source changed, conflicts first. */
export function useComparison(pair: Pair, filter: CompareFilter, enabled = true) {
  return useInfiniteQuery({ ...comparisonQuery(pair, filter), placeholderData: keptWithin(pairKey(pair)), enabled });
}

export function comparisonQuery(pair: Pair, filter: CompareFilter) {
  return infiniteQueryOptions({
    queryKey: [...pairKey(pair), "objects", filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 200, ...filter, ...decidedIn(pair), ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/`, { params: { path: placeOf(pair), query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

export function useComparedObject(pair: Pair, kind: ObjectKind, objectId: number) {
  return useQuery(comparedObjectQuery(pair, kind, objectId));
}

export function comparedObjectQuery(pair: Pair, kind: ObjectKind, objectId: number) {
  return queryOptions({
    queryKey: [...pairKey(pair), "object", kind, objectId],
    queryFn: ({ signal }) => {
      const path = { ...placeOf(pair), kind, object_id: objectId };
      return body(client.GET(`${AT}/objects/{kind}/{object_id}/`, { params: { path, query: decidedIn(pair) }, signal }));
    },
  });
}

/** What each decision about an object's conflicts keeps and leaves out. The server counts rows for it, so the rows in
 * conflict are asked for first. */
export function useDecisionEffects(pair: Pair, kind: ObjectKind, objectId: number, enabled: boolean) {
  const areRowsComing = useIsFetching({ queryKey: conflictingRowsQuery(pair, objectId).queryKey, exact: true }) > 0;
  return useQuery({ ...decisionEffectsQuery(pair, kind, objectId), enabled: enabled && !areRowsComing });
}

export function decisionEffectsQuery(pair: Pair, kind: ObjectKind, objectId: number) {
  return queryOptions({
    queryKey: [...pairKey(pair), "decisions", kind, objectId],
    queryFn: async ({ signal }) => {
      const path = { ...placeOf(pair), kind, object_id: objectId };
      return (await body(client.GET(`${AT}/objects/{kind}/{object_id}/decisions/`, { params: { path }, signal }))).results;
    },
    staleTime: 60_000,
  });
}

/** What keeping the newer row by a column does to all conflicting rows. */
export function useNewestEffect(pair: Pair, kind: ObjectKind, objectId: number) {
  return useMutation({
    mutationFn: async (column: string) => {
      const path = { ...placeOf(pair), kind, object_id: objectId };
      const { results } = await body(client.GET(`${AT}/objects/{kind}/{object_id}/decisions/`, { params: { path, query: { newest_by: column } } }));
      return results.find((effect) => effect.decision === "newest");
    },
  });
}

export type Side = "source" | "destination";

interface RowsWanted {
  limit?: number;
  /** Only rows that the side changed so. */
  change?: "insert" | "update" | "delete";
}

/** Rows of a table that one side changed, beside the newest image that both sides know. */
export function useComparedRows(pair: Pair, tableId: number, side: Side, wanted: RowsWanted = {}, enabled = true) {
  return useInfiniteQuery({
    queryKey: [...pairKey(pair), "rows", tableId, side, wanted],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      // What was decided changes no side. A merged request has the branches as they were merged.
      const query = { side, limit: 100, ...wanted, ...(pair.isMerged ? decidedIn(pair) : {}), ...(pageParam === null ? {} : { cursor: pageParam }) };
      const path = { ...placeOf(pair), table_id: tableId };
      return body(client.GET(`${AT}/objects/table/{table_id}/rows/`, { params: { path, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    staleTime: 60_000,
    enabled,
  });
}

/** Rows that both sides changed, and differently, with what was decided of them. */
export function useConflictingRows(pair: Pair, tableId: number) {
  return useInfiniteQuery(conflictingRowsQuery(pair, tableId));
}

export function conflictingRowsQuery(pair: Pair, tableId: number) {
  return infiniteQueryOptions({
    queryKey: [...pairKey(pair), "conflicting rows", tableId],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { only: "conflicts" as const, limit: 50, ...decidedIn(pair), ...(pageParam === null ? {} : { cursor: pageParam }) };
      const path = { ...placeOf(pair), table_id: tableId };
      return body(client.GET(`${AT}/objects/table/{table_id}/rows/sides/`, { params: { path, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    staleTime: 60_000,
  });
}

/** What the source's changes do to the values of a table, counted from the rows that it changed. */
export function useProfile(pair: Pair, tableId: number) {
  return useQuery({
    queryKey: [...pairKey(pair), "profile", tableId],
    queryFn: ({ signal }) => {
      const params = { path: { ...placeOf(pair), table_id: tableId }, query: decidedIn(pair) };
      return body(client.GET(`${AT}/objects/table/{table_id}/profile/`, { params, signal }));
    },
    staleTime: 60_000,
  });
}

export function useRules() {
  return useQuery(rulesQuery());
}

export function rulesQuery() {
  return queryOptions({
    queryKey: ["rules"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/rules/", { signal })),
    staleTime: Infinity,
  });
}

function pairKey(pair: Pair) {
  return ["catalog", pair.catalog, "compare", pair.source, pair.destination, pair.request ?? null, pair.isMerged ?? false] as const;
}

function placeOf({ catalog, source, destination }: Pair) {
  return { catalog, source, destination };
}

function decidedIn({ request }: Pair): { merge_request?: number } {
  return request === undefined ? {} : { merge_request: request };
}
