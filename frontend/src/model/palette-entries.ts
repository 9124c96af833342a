/** Ranking of what a person may mean: whole words and beginnings before places inside a name. */
import type { SearchResult } from "../api/resources";
import type { IconName } from "../ui/icons";
import {
  branchAddress,
  catalogAddress,
  compareAddress,
  importAddress,
  mergeAddress,
  mergesAddress,
  newRequestAddress,
  pipelinesAddress,
  requestsAddress,
  sqlAddress,
  tableAddress,
  tasksAddress,
  viewAddress,
} from "./addresses";

export interface Entry {
  id: string;
  label: string;
  /** What kind of thing it is, and where. */
  detail: string;
  address: string;
  icon: IconName;
}

/** Pages of a catalog; the console and imports are those of the branch. */
export function pageEntries(catalog: string, branch: string): Entry[] {
  return [
    { id: "page:graph", label: "Branches", detail: `page of ${catalog}`, address: catalogAddress(catalog), icon: "branch" },
    { id: "page:compare", label: "Compare", detail: `page of ${catalog}`, address: compareAddress(catalog), icon: "compare" },
    { id: "page:requests", label: "Merge requests", detail: `page of ${catalog}`, address: requestsAddress(catalog), icon: "request" },
    { id: "page:new-request", label: "New merge request", detail: `from ${branch}`, address: newRequestAddress(catalog, branch), icon: "request" },
    { id: "page:merges", label: "Merges", detail: `page of ${catalog}`, address: mergesAddress(catalog), icon: "merge" },
    { id: "page:pipelines", label: "Pipelines", detail: `page of ${catalog}`, address: pipelinesAddress(catalog), icon: "pipeline" },
    { id: "page:sql", label: "SQL", detail: `console on ${branch}`, address: sqlAddress(catalog, branch), icon: "sql" },
    { id: "page:import", label: "Import a file", detail: `into ${branch}`, address: importAddress(catalog, branch), icon: "import" },
    { id: "page:tasks", label: "Tasks", detail: "page", address: tasksAddress, icon: "tasks" },
  ];
}

/** What a search found, by its own name, with where it is as the detail. What lost the name leads to that is listed. */
export function entryOf(found: SearchResult): Entry {
  const entry = { ...presentEntry(found), ...(found.is_dropped ? { address: droppedAddress(found) } : {}) };
  const end = endOf(found);
  if (end === "") return entry;
  const address = found.kind === "column" && !found.is_dropped ? `${entry.address}?tab=schemas` : entry.address;
  return { ...entry, id: `${entry.id}:${found.until_version ?? "dropped"}`, detail: `${end} · ${entry.detail}`, address };
}

/** "was named a until v12", "dropped in v14", both, or nothing where it has the name that was searched for. */
function endOf({ former_name: was, until_version: version, is_dropped: isDropped }: SearchResult): string {
  const end = (word: string) => (version === null ? "" : ` ${word} v${version}`);
  if (!isDropped) return was === null ? "" : `was named ${was}${end("until")}`;
  return `${was === null ? "" : `was named ${was}, `}dropped${end("in")}`;
}

/** The trash, which undrops; else the history of where it was. */
function droppedAddress(found: SearchResult): string {
  const { catalog, kind, until_version: version } = found;
  const branch = found.branch ?? "main";
  if (kind === "branch") return `${catalogAddress(catalog)}?branches=dropped`;
  if (found.in_trash) return `${branchAddress(catalog, branch)}?tab=trash`;
  if (kind === "column") return `${tableAddress(catalog, branch, found.database ?? "", found.table ?? "")}?tab=history`;
  return `${branchAddress(catalog, branch)}?tab=history&commit=${version ?? ""}`;
}

function presentEntry(found: SearchResult): Entry {
  const { catalog, label } = found;
  const [branch, database, table] = [found.branch ?? "main", found.database ?? "", found.table ?? ""];
  const onBranch = `${database} on ${branch}`;
  switch (found.kind) {
    case "catalog":
      return { id: `catalog:${label}`, label, detail: "catalog", address: catalogAddress(catalog), icon: "database" };
    case "branch":
      return { id: `branch:${label}`, label, detail: "branch", address: branchAddress(catalog, branch), icon: "branch" };
    case "tag": {
      const address = `${branchAddress(catalog, branch)}?tab=history&commit=${found.version ?? ""}`;
      return { id: `tag:${label}`, label, detail: `tag of v${found.version ?? ""} on ${branch}`, address, icon: "tag" };
    }
    case "database": {
      const address = `${branchAddress(catalog, branch)}?database=${encodeURIComponent(database)}`;
      return { id: `database:${label}`, label, detail: `database on ${branch}`, address, icon: "database" };
    }
    case "table": {
      const address = tableAddress(catalog, branch, database, table);
      return { id: `table:${label}`, label: table, detail: `table in ${onBranch}`, address, icon: "tables" };
    }
    case "view": {
      const address = viewAddress(catalog, branch, database, found.view ?? "");
      return { id: `view:${label}`, label: found.view ?? label, detail: `view in ${onBranch}`, address, icon: "tables" };
    }
    case "column": {
      const address = tableAddress(catalog, branch, database, table);
      return { id: `column:${label}`, label: found.column ?? label, detail: `column of ${table} in ${onBranch}`, address, icon: "column" };
    }
    case "merge": {
      const detail = found.version === null ? "merge, not carried out" : `merge, made v${found.version}`;
      return { id: `merge:${found.merge_id ?? ""}`, label, detail, address: mergeAddress(found.merge_id ?? ""), icon: "merge" };
    }
  }
}

/** Entries that contain every word of the text, best first; all of them for an empty text. */
export function entriesFound(entries: readonly Entry[], text: string, most = 50): Entry[] {
  const words = text.toLowerCase().split(/[\s.]+/).filter(Boolean);
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank < Infinity)
    .toSorted((left, right) => left.rank - right.rank)
    .slice(0, most)
    .map(({ entry }) => entry);
}

function rankOf(entry: Entry, words: readonly string[]): number {
  const label = entry.label.toLowerCase();
  const all = `${label} ${entry.detail.toLowerCase()}`;
  let rank = 0;
  for (const word of words) {
    if (label === word) rank += 0;
    else if (label.startsWith(word)) rank += 1;
    else if (label.includes(word)) rank += 2;
    else if (all.includes(word)) rank += 4;
    else return Infinity;
  }
  return rank;
}
