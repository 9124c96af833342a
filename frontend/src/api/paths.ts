/** Addresses of the resources in the form that openapi-typescript gives them. */
import type * as r from "./resources";

interface Page<Item> {
  next: string | null;
  results: Item[];
}

interface Get<Place, Query, Body> {
  parameters: { query?: never; header?: never; path?: never; cookie?: never };
  get: {
    parameters: { query?: Query; header?: never; cookie?: never } & ([Place] extends [never]
      ? { path?: never }
      : { path: Place });
    requestBody?: never;
    responses: { 200: { headers: Record<string, unknown>; content: { "application/json": Body } } };
  };
}

interface InCatalog {
  catalog: string;
}
interface OnBranch extends InCatalog {
  branch: string;
}
interface InDatabase extends OnBranch {
  database: string;
}
interface OfTable extends InDatabase {
  table: string;
}
interface Pair extends InCatalog {
  source: string;
  destination: string;
}
interface Paging {
  cursor?: string;
  limit?: number;
}
interface Search extends Paging {
  search?: string;
  version?: number;
}
export interface HistoryFilter extends Search {
  operation?: string;
  author?: string;
  object?: string;
}
export interface BranchFilter extends Paging {
  search?: string;
  dropped?: 0 | 1;
  order?: "name" | "-created_at" | "-activity";
}
export interface CompareFilter extends Paging {
  kind?: r.ObjectKind;
  verdict?: r.Verdict;
  search?: string;
}

type AtBranch = "/api/v1/catalogs/{catalog}/branches/{branch}";
type AtTable = `${AtBranch}/databases/{database}/tables/{table}`;
type AtPair = "/api/v1/catalogs/{catalog}/compare/{source}...{destination}";

export type ResourcePaths = {
  "/api/v1/catalogs/": Get<never, Paging, Page<r.Catalog>>;
  "/api/v1/catalogs/{catalog}/": Get<InCatalog, never, r.CatalogDetail>;
  "/api/v1/catalogs/{catalog}/branches/": Get<InCatalog, BranchFilter, Page<r.Branch>>;
  "/api/v1/catalogs/{catalog}/graph/": Get<InCatalog, { before?: number; limit?: number }, r.Graph>;
  "/api/v1/rules/": Get<never, never, r.Rules>;
  "/api/v1/merges/{merge_id}/": Get<{ merge_id: string }, never, r.MergeRecord>;
} & Record<`${AtBranch}/`, Get<OnBranch, never, r.Branch>> &
  Record<`${AtBranch}/history/`, Get<OnBranch, HistoryFilter, Page<r.CommitEntry>>> &
  Record<`${AtBranch}/databases/`, Get<OnBranch, Search, Page<r.Database>>> &
  Record<
    `${AtBranch}/databases/{database}/tables/`,
    Get<InDatabase, Search & { include?: "sizes" }, Page<r.TableSummary>>
  > &
  Record<`${AtTable}/`, Get<OfTable, { version?: number }, r.TableDetail>> &
  Record<`${AtTable}/history/`, Get<OfTable, HistoryFilter, Page<r.CommitEntry>>> &
  Record<`${AtTable}/segments/`, Get<OfTable, Search, Page<r.Segment>>> &
  Record<`${AtTable}/schemas/`, Get<OfTable, { version?: number }, r.Schemas>> &
  Record<`${AtTable}/partitions/`, Get<OfTable, Search, Page<r.PartitionEntry>>> &
  Record<`${AtTable}/rows/`, Get<OfTable, { version?: number; limit?: number }, r.RowPage>> &
  Record<`${AtTable}/changes/`, Get<OfTable, { from: number; to: number }, r.RowPage>> &
  Record<`${AtPair}/`, Get<Pair, CompareFilter, r.Comparison>> &
  Record<
    `${AtPair}/objects/{kind}/{object_id}/`,
    Get<Pair & { kind: r.ObjectKind; object_id: number }, never, r.ComparedDetail>
  >;
