/** Addresses inside the application; the server answers all of them with its shell. */

const part = encodeURIComponent;

export const homeAddress = "/";
export const tasksAddress = "/tasks";
export const settingsAddress = "/settings";
export const peopleAddress = "/people";
export const inboxAddress = "/inbox";

export function catalogAddress(catalog: string): string {
  return `/c/${part(catalog)}`;
}

export function branchAddress(catalog: string, branch: string): string {
  return `${catalogAddress(catalog)}/b/${part(branch)}`;
}

export function tableAddress(catalog: string, branch: string, database: string, table: string): string {
  return `${branchAddress(catalog, branch)}/t/${part(database)}/${part(table)}`;
}

export function viewAddress(catalog: string, branch: string, database: string, view: string): string {
  return `${branchAddress(catalog, branch)}/v/${part(database)}/${part(view)}`;
}

/** Compare two branches, or choose what to compare where either is missing. */
export function compareAddress(catalog: string, source?: string, destination?: string): string {
  const start = `${catalogAddress(catalog)}/compare`;
  return source === undefined || destination === undefined ? start : `${start}/${part(source)}...${part(destination)}`;
}

/** The audit of a catalog; its merges where no other kind of records is named. */
export function mergesAddress(catalog: string, kind?: string): string {
  return `${catalogAddress(catalog)}/merges${kind === undefined ? "" : `?kind=${part(kind)}`}`;
}

export function mergeAddress(mergeId: string): string {
  return `/merges/${part(mergeId)}`;
}

export function requestsAddress(catalog: string, filter: Record<string, string> = {}): string {
  const query = new URLSearchParams(filter).toString();
  return `${catalogAddress(catalog)}/requests${query ? `?${query}` : ""}`;
}

export function requestAddress(catalog: string, number: number): string {
  return `${requestsAddress(catalog)}/${number}`;
}

/** Ask for a merge; of these branches where they are named. */
export function newRequestAddress(catalog: string, source?: string, destination?: string): string {
  const query = new URLSearchParams({ ...(source === undefined ? {} : { source }), ...(destination === undefined ? {} : { destination }) });
  return `${requestsAddress(catalog)}/new${query.size ? `?${query.toString()}` : ""}`;
}

export function pipelinesAddress(catalog: string, filter: Record<string, string> = {}): string {
  const query = new URLSearchParams(filter).toString();
  return `${catalogAddress(catalog)}/pipelines${query ? `?${query}` : ""}`;
}

/** Make a pipeline: like another one, or for a table, where they are named. */
export function newPipelineAddress(catalog: string, like: { from?: string; branch?: string; database?: string; table?: string } = {}): string {
  const query = new URLSearchParams(like).toString();
  return `${pipelinesAddress(catalog)}/new${query ? `?${query}` : ""}`;
}

export type PipelineTab = "source" | "strategy" | "landing" | "runs" | "versions" | "settings";

export function pipelineAddress(catalog: string, pipelineId: number, tab: PipelineTab = "source"): string {
  return `${pipelinesAddress(catalog)}/${pipelineId}${tab === "source" ? "" : `?tab=${tab}`}`;
}

export function pipelineRunAddress(catalog: string, pipelineId: number, runId: string): string {
  return `${pipelinesAddress(catalog)}/${pipelineId}/runs/${part(runId)}`;
}

export type CatalogSettingsTab = "members" | "merging" | "protection" | "checks" | "restrictions" | "webhooks" | "catalog";

export function catalogSettingsAddress(catalog: string, tab: CatalogSettingsTab = "members"): string {
  return `${catalogAddress(catalog)}/settings?tab=${tab}`;
}

export function taskAddress(taskId: string): string {
  return `${tasksAddress}/${part(taskId)}`;
}

export function sqlAddress(catalog: string, branch: string, statement?: string): string {
  const query = new URLSearchParams({ branch, ...(statement === undefined ? {} : { statement }) });
  return `${catalogAddress(catalog)}/sql?${query.toString()}`;
}

/** Bring a file to a branch; into a table where one is named, or go on with a file that was sent before. */
export function importAddress(
  catalog: string,
  branch: string,
  more: { database?: string; table?: string; import?: string } = {},
): string {
  const query = new URLSearchParams({ branch, ...more });
  return `${catalogAddress(catalog)}/import?${query.toString()}`;
}

/** `source...destination` taken apart; undefined unless there are just two names. */
export function pairParse(pair: string): { source: string; destination: string } | undefined {
  const [source, destination, ...rest] = pair.split("...");
  return source && destination && rest.length === 0 ? { source, destination } : undefined;
}

/** What an address is about. */
export interface AddressPlace {
  catalog?: string;
  branch?: string;
  database?: string;
  table?: string;
}

export function placeOf(pathname: string, search = ""): AddressPlace {
  const [section, catalog, page, branch, kind, database, table] = pathname.split("/").filter(Boolean).map(decodeURIComponent);
  if (section !== "c" || catalog === undefined) return {};
  if (isOfBranchInQuery(page)) return given({ catalog, branch: new URLSearchParams(search).get("branch") ?? undefined });
  if (page !== "b") return { catalog };
  return given({ catalog, branch, ...(kind === "t" ? { database, table } : {}) });
}

/** The same object on another branch; the branch itself where the address is about no object of a branch. */
export function onOtherBranch(pathname: string, search: string, branch: string): string {
  const place = placeOf(pathname, search);
  if (place.catalog === undefined) return homeAddress;
  const page = pathname.split("/")[3];
  if (page === "sql") return sqlAddress(place.catalog, branch, new URLSearchParams(search).get("statement") ?? undefined);
  if (page === "import") return importAddress(place.catalog, branch);
  if (place.database === undefined || place.table === undefined) return branchAddress(place.catalog, branch);
  const tab = new URLSearchParams(search).get("tab");
  const address = tableAddress(place.catalog, branch, place.database, place.table);
  return tab === null ? address : `${address}?tab=${part(tab)}`;
}

/** Pages that act on a branch without being about it name it in their query. */
function isOfBranchInQuery(page: string | undefined): boolean {
  return page === "sql" || page === "import";
}

function given(place: Record<string, string | undefined>): AddressPlace {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
}
