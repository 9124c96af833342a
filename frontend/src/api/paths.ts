/** The document's addresses, with bodies where it says only that they are objects; and filters that pages keep. */
import type { AuditRecord, Rules } from "./resources";
import type { operations, paths } from "./schema";

interface Body<Content> {
  responses: { 200: { headers: Record<string, unknown>; content: { "application/json": Content } } };
}

export type Paths = Omit<paths, "/api/v1/rules/" | "/api/v1/merges/{merge_id}/"> & {
  "/api/v1/rules/": { get: Omit<operations["rules_get"], "responses"> & Body<Rules> };
  "/api/v1/merges/{merge_id}/": { get: Omit<operations["merge_get"], "responses"> & Body<AuditRecord> };
};

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;

export type BranchFilter = Query<"branch_list">;
export type HistoryFilter = Query<"branch_history">;
export type RequestFilter = Query<"merge_request_list">;
export type CompareFilter = Query<"compare">;
export type RecordKind = NonNullable<Query<"merge_list">["kind"]>;
export type PipelineFilter = Query<"pipeline_list">;
