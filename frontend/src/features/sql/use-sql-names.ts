import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";

import { body, client } from "../../api/client";
import { tablesNamed } from "../../model/sql-places";

/** Databases, their tables, and the columns of those tables that are known: what an editor may complete. */
export type SqlNames = Record<string, Record<string, string[]>>;

type NamedTable = ReturnType<typeof tablesNamed>[number];

const DATABASES = 20;
const TABLES = 200;

export function useSqlNames(catalog: string, branch: string, text: string): SqlNames {
  const tables = useQuery(tableNamesQuery(catalog, branch));
  const named = useDeferredValue(text);
  const found = useMemo(() => {
    const known = tables.data ?? {};
    return tablesNamed(named).filter(({ database, table }) => known[database]?.includes(table));
  }, [named, tables.data]);
  const wanted = useSame(found);
  const columns = useQueries({
    queries: wanted.map(({ database, table }) => columnsQuery(catalog, branch, database, table)),
    combine: (results) => results.map((result) => result.data?.map(({ name }) => name)),
  });
  return useMemo(() => {
    const names: SqlNames = {};
    for (const [database, found] of Object.entries(tables.data ?? {})) {
      names[database] = Object.fromEntries(found.map((table) => [table, []]));
    }
    wanted.forEach(({ database, table }, place) => {
      (names[database] ??= {})[table] = columns[place] ?? [];
    });
    return names;
  }, [tables.data, wanted, columns]);
}

/** The same list for as long as it names the same tables: another one has the editor read its whole text again. */
function useSame(found: NamedTable[]): NamedTable[] {
  const [kept, setKept] = useState(found);
  if (kept === found) return kept;
  const isSame = kept.length === found.length && kept.every(({ database, table }, place) => database === found[place]?.database && table === found[place].table);
  if (!isSame) setKept(found);
  return isSame ? kept : found;
}

/** Columns of a table, by name and type. */
export function columnsQuery(catalog: string, branch: string, database: string, table: string) {
  return queryOptions({
    queryKey: ["catalog", catalog, "branch", branch, "columns", database, table],
    queryFn: async ({ signal }) => {
      const params = { path: { catalog, branch, database, table } };
      const at = "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/{table}/" as const;
      return (await body(client.GET(at, { params, signal }))).columns.map(({ name, type }) => ({ name, type }));
    },
    staleTime: 60_000,
  });
}

/** Names of tables by database, the first of each. */
export function tableNamesQuery(catalog: string, branch: string) {
  return queryOptions({
    queryKey: ["catalog", catalog, "branch", branch, "names"],
    queryFn: async ({ signal }) => {
      const path = { catalog, branch };
      const params = { path, query: { limit: DATABASES } };
      const { results } = await body(client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/databases/", { params, signal }));
      const entries = await Promise.all(
        results.map(async ({ name: database }) => {
          const at = "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/" as const;
          const page = await body(client.GET(at, { params: { path: { ...path, database }, query: { limit: TABLES } }, signal }));
          return [database, page.results.map((table) => table.name)] as const;
        }),
      );
      return Object.fromEntries(entries);
    },
    staleTime: 60_000,
  });
}
