import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { components } from "../api/schema";
import { searchText } from "../model/search-text";
import { keptWithin } from "./kept";

/** Where a table is: names, not ids, as people say them. */
export interface TablePlace {
  catalog: string;
  branch: string;
  database: string;
  table: string;
}

const PAGE = 200;
const AT = "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}";

export function useDatabases(catalog: string, branch: string) {
  return useQuery({ ...databasesQuery(catalog, branch), enabled: catalog !== "" && branch !== "" });
}

export function databasesQuery(catalog: string, branch: string) {
  return queryOptions({
    queryKey: ["catalog", catalog, "branch", branch, "databases"],
    queryFn: ({ signal }) => {
      const params = { path: { catalog, branch }, query: { limit: PAGE } };
      return body(client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/databases/", { params, signal }));
    },
  });
}

export function useTables(catalog: string, branch: string, database: string, search = "", enabled = true) {
  const placeholderData = keptWithin(["catalog", catalog, "branch", branch, "tables", database]);
  return useInfiniteQuery({ ...tablesQuery(catalog, branch, database, search), placeholderData, enabled });
}

export function tablesQuery(catalog: string, branch: string, database: string, search = "") {
  return infiniteQueryOptions({
    queryKey: ["catalog", catalog, "branch", branch, "tables", database, search],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const more = pageParam === null ? {} : { cursor: pageParam };
      const query = { limit: PAGE, include: "sizes" as const, ...(search ? { search: searchText(search) } : {}), ...more };
      const params = { path: { catalog, branch, database }, query };
      return body(
        client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/", { params, signal }),
      );
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

/** What the statistics of the files say of the columns. */
export function useTableProfile(place: TablePlace, version?: number) {
  return useQuery({
    queryKey: [...tableKey(place), "profile", version ?? null],
    queryFn: ({ signal }) => body(client.GET(`${AT}/profile/`, { params: { path: { ...place }, query: atVersion(version) }, signal })),
  });
}

/** What the table was made from, and what is made from it. */
export function useLineage(place: TablePlace, version?: number) {
  return useQuery({
    queryKey: [...tableKey(place), "lineage", version ?? null],
    queryFn: ({ signal }) => body(client.GET(`${AT}/lineage/`, { params: { path: { ...place }, query: atVersion(version) }, signal })),
  });
}

/** What OPTIMIZE would rewrite at the head. */
export function useCompaction(place: TablePlace, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: [...tableKey(place), "compaction"],
    queryFn: ({ signal }) => body(client.GET(`${AT}/compaction/`, { params: { path: { ...place } }, signal })),
  });
}

/** `version` undefined is the head. */
export function useTable(place: TablePlace, version?: number, enabled = true) {
  return useQuery({
    queryKey: [...tableKey(place), "detail", version ?? null],
    queryFn: ({ signal }) =>
      body(client.GET(`${AT}/`, { params: { path: { ...place }, query: atVersion(version) }, signal })),
    placeholderData: keptWithin(tableKey(place)),
    enabled,
  });
}

export function useTableHistory(place: TablePlace) {
  return useInfiniteQuery({
    queryKey: [...tableKey(place), "history"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/history/`, { params: { path: { ...place }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

export type TableVersions = components["schemas"]["VersionsAnswer"];

const PLOT_POINTS = 200;

/** Sizes of the table over its versions; of a long history an even choice. */
export function useTableVersions(place: TablePlace) {
  return useQuery({
    queryKey: [...tableKey(place), "versions"],
    queryFn: ({ signal }) =>
      body(client.GET(`${AT}/versions/`, { params: { path: { ...place }, query: { points: PLOT_POINTS } }, signal })),
  });
}

export function useSegments(place: TablePlace, version?: number) {
  return useInfiniteQuery({
    queryKey: [...tableKey(place), "segments", version ?? null],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...atVersion(version), ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/segments/`, { params: { path: { ...place }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

export function useSchemas(place: TablePlace) {
  return useQuery({
    queryKey: [...tableKey(place), "schemas"],
    queryFn: ({ signal }) => body(client.GET(`${AT}/schemas/`, { params: { path: { ...place } }, signal })),
  });
}

export const ROWS_SHOWN = 100;

export function useRows(place: TablePlace, version?: number) {
  return useQuery({
    queryKey: [...tableKey(place), "rows", version ?? null],
    queryFn: ({ signal }) => {
      const query = { limit: ROWS_SHOWN, ...atVersion(version) };
      return body(client.GET(`${AT}/rows/`, { params: { path: { ...place }, query }, signal }));
    },
    placeholderData: keptWithin(tableKey(place)),
  });
}

/** A version of the table's branch, the head of another, or a tag. */
export type ChangePoint = { version: number } | { branch: string } | { tag: string };

/** The address names an end by its kind: `from`, `from_branch` or `from_tag`. */
function end(name: "from" | "to", point: ChangePoint) {
  if ("version" in point) return { [name]: point.version };
  return "branch" in point ? { [`${name}_branch`]: point.branch } : { [`${name}_tag`]: point.tag };
}

export function useChanges(place: TablePlace, from: ChangePoint, to: ChangePoint) {
  return useQuery({
    queryKey: [...tableKey(place), "changes", from, to],
    queryFn: ({ signal }) =>
      body(client.GET(`${AT}/changes/`, { params: { path: { ...place }, query: { ...end("from", from), ...end("to", to) } }, signal })),
    retry: false,
  });
}

/** What everything known of a table begins with. */
export function tableKey(place: TablePlace) {
  return ["catalog", place.catalog, "branch", place.branch, "table", place.database, place.table] as const;
}

function atVersion(version: number | undefined): { version?: number } {
  return version === undefined ? {} : { version };
}
