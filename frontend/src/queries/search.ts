import { useQuery } from "@tanstack/react-query";

import { body, client } from "../api/client";
import { branchAddress, catalogAddress, compareAddress, importAddress, mergeAddress, mergesAddress, sqlAddress, tableAddress } from "../model/addresses";
import type { Entry } from "../model/palette-entries";

/** A search looks into at most so many databases of the branch, and takes as many of each. */
const DATABASES = 8;
const EACH = 20;

/** Everything of a branch and its catalog whose name may contain the text. */
export function useSearchEntries(catalog: string | undefined, branch: string, text: string) {
  return useQuery({
    queryKey: ["search", catalog ?? null, branch, text],
    queryFn: async ({ signal }) => {
      if (catalog === undefined) return [];
      const word = text.split(".").at(-1) ?? "";
      const found = await Promise.all([
        branchEntries(catalog, text, signal),
        objectEntries(catalog, branch, word, signal),
        mergeEntries(catalog, signal),
      ]);
      return [...pageEntries(catalog, branch), ...found.flat()];
    },
    placeholderData: (before) => before,
  });
}

function pageEntries(catalog: string, branch: string): Entry[] {
  return [
    { id: "page:graph", label: "Branches", detail: `page of ${catalog}`, address: catalogAddress(catalog), icon: "branch" },
    { id: "page:compare", label: "Compare", detail: `page of ${catalog}`, address: compareAddress(catalog), icon: "compare" },
    { id: "page:merges", label: "Merges", detail: `page of ${catalog}`, address: mergesAddress(catalog), icon: "merge" },
    { id: "page:sql", label: "SQL", detail: `console on ${branch}`, address: sqlAddress(catalog, branch), icon: "sql" },
    { id: "page:import", label: "Import a file", detail: `into ${branch}`, address: importAddress(catalog, branch), icon: "import" },
    { id: "page:tasks", label: "Tasks", detail: "page", address: "/tasks", icon: "tasks" },
  ];
}

async function branchEntries(catalog: string, text: string, signal: AbortSignal): Promise<Entry[]> {
  const params = { path: { catalog }, query: { limit: EACH, ...(text ? { search: text } : {}) } };
  const page = await body(client.GET("/api/v1/catalogs/{catalog}/branches/", { params, signal }));
  return page.results.flatMap((entry) => [
    { id: `branch:${entry.name}`, label: entry.name, detail: "branch", address: branchAddress(catalog, entry.name), icon: "branch" },
    ...(entry.parent ? [compareEntry(catalog, entry.name, entry.parent)] : []),
  ]);
}

function compareEntry(catalog: string, branch: string, parent: string): Entry {
  const address = compareAddress(catalog, branch, parent);
  return { id: `compare:${branch}`, label: `${branch} … ${parent}`, detail: "compare", address, icon: "compare" };
}

async function objectEntries(catalog: string, branch: string, word: string, signal: AbortSignal): Promise<Entry[]> {
  const path = { catalog, branch };
  const params = { path, query: { limit: DATABASES } };
  const { results } = await body(client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/databases/", { params, signal }));
  const tables = await Promise.all(
    results.map(async ({ name: database }) => {
      const query = { limit: EACH, ...(word ? { search: word } : {}) };
      const page = await body(
        client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/tables/", {
          params: { path: { ...path, database }, query },
          signal,
        }),
      );
      return page.results.map((table): Entry => {
        const address = tableAddress(catalog, branch, database, table.name);
        return { id: `table:${table.table_id}`, label: table.name, detail: `table in ${database} on ${branch}`, address, icon: "tables" };
      });
    }),
  );
  const databases = results.map(({ name, database_id }): Entry => {
    const address = `${branchAddress(catalog, branch)}?database=${encodeURIComponent(name)}`;
    return { id: `database:${database_id}`, label: name, detail: `database on ${branch}`, address, icon: "database" };
  });
  return [...databases, ...tables.flat()];
}

async function mergeEntries(catalog: string, signal: AbortSignal): Promise<Entry[]> {
  const page = await body(client.GET("/api/v1/merges/", { params: { query: { catalog, limit: EACH } }, signal }));
  return page.results.map((merge) => ({
    id: `merge:${merge.merge_id}`,
    label: `${merge.source} → ${merge.destination}`,
    detail: `merge, ${merge.outcome}`,
    address: mergeAddress(merge.merge_id),
    icon: "merge",
  }));
}
