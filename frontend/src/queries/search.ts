import { useQuery } from "@tanstack/react-query";

import { body, client } from "../api/client";
import { branchAddress, compareAddress, pipelineAddress } from "../model/addresses";
import { entryOf, type Entry } from "../model/palette-entries";

const BRANCHES = 20;
const PIPELINES = 20;
const FOUND = 50;
/** Branches that are not dropped are asked for by their own list, which knows the parent that one compares with. */
const KINDS = ["branch", "tag", "database", "table", "view", "column", "merge"] as const;

/** Branches of the catalog, and everything in it whose name matches once there is a text: as the branch sees it. */
export function useSearchEntries(catalog: string | undefined, branch: string, text: string) {
  return useQuery({
    queryKey: ["search", catalog ?? null, branch, text],
    queryFn: async ({ signal }) => {
      if (catalog === undefined) return [];
      const named = text ? [namedEntries(catalog, branch, text, signal), pipelineEntries(catalog, text, signal)] : [];
      const found = await Promise.all([branchEntries(catalog, text, signal), ...named]);
      return found.flat();
    },
    placeholderData: (before) => before,
  });
}

async function branchEntries(catalog: string, text: string, signal: AbortSignal): Promise<Entry[]> {
  const params = { path: { catalog }, query: { limit: BRANCHES, ...(text ? { search: text } : {}) } };
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

async function pipelineEntries(catalog: string, text: string, signal: AbortSignal): Promise<Entry[]> {
  const params = { query: { catalog, search: text, limit: PIPELINES } };
  const { results } = await body(client.GET("/api/v1/pipelines/", { params, signal }));
  return results.map(({ id, name, database, table }) => ({
    id: `pipeline:${id}`, label: name, detail: `pipeline into ${database}.${table}`, address: pipelineAddress(catalog, id), icon: "pipeline",
  }));
}

async function namedEntries(catalog: string, branch: string, text: string, signal: AbortSignal): Promise<Entry[]> {
  const query = { q: text, limit: FOUND, catalog, branch, kind: [...KINDS] };
  const { results } = await body(client.GET("/api/v1/search/", { params: { query }, signal }));
  return results.filter(({ kind, is_dropped: isDropped }) => kind !== "branch" || isDropped).map(entryOf);
}
