/** Bodies of the REST resources that a browser reads (interfaces §2). Versions and ids are integers, times ISO 8601 UTC. */

export interface LastCommit {
  version: number;
  branch: string;
  time: string;
  operation: string;
  author: string;
}

export interface Catalog {
  name: string;
  comment: string;
  created_at: string;
  branch_count: number;
  commit_count: number;
  last_commit: LastCommit | null;
}

export interface CatalogDetail extends Catalog {
  main: Branch;
  merge_count: number;
  running_task_count: number;
}

export interface Branch {
  name: string;
  branch_id: number;
  parent: string | null;
  fork_version: number | null;
  head_version: number;
  created_at: string;
  created_by: string;
  is_main: boolean;
  is_dropped: boolean;
  dropped_at: string | null;
  last_commit: LastCommit | null;
  ahead: number | null;
  behind: number | null;
}

export interface OperationEntry {
  kind: string;
  object_kind: string;
  object_id: number;
  object: string;
  metrics: Record<string, number>;
}

export interface CommitEntry {
  version: number;
  branch: string;
  time: string;
  operation: string;
  author: string;
  statement: string;
  parent_version: number | null;
  merge_parent: BranchPoint | null;
  task_id: string | null;
  rows_changed: number;
  operations: OperationEntry[];
}

export interface BranchPoint {
  branch: string;
  version: number;
}

export interface GraphCommit {
  version: number;
  branch: string;
  parent_version: number | null;
  parent_branch: string | null;
  merge_parent: BranchPoint | null;
  operation: string;
  author: string;
  time: string;
  rows_changed: number;
}

export interface GraphBranch {
  name: string;
  branch_id: number;
  parent: string | null;
  fork_version: number | null;
  head_version: number;
  created_at: string;
  is_dropped: boolean;
}

export interface FailedMerge {
  merge_id: string;
  source: string;
  destination: string;
  outcome: string;
  source_head: number;
  destination_head: number;
  time: string;
  conflict_count: number;
}

export interface GraphTag {
  name: string;
  branch: string;
  version: number;
}

export interface Graph {
  commits: GraphCommit[];
  branches: GraphBranch[];
  failed_merges: FailedMerge[];
  tags: GraphTag[];
  next_before: number | null;
}

export interface Database {
  name: string;
  database_id: number;
  comment: string;
  properties: Record<string, string>;
}

export interface TableSizes {
  rows: number;
  bytes: number;
  files: number;
}

export interface TableSummary {
  name: string;
  table_id: number;
  database: string;
  comment: string;
  schema_version: number;
  column_count: number;
  changed_version: number;
  is_partitioned: boolean;
  has_primary_key: boolean;
  sizes: TableSizes | null;
}

export interface Column {
  id: number;
  name: string;
  type: string;
  nullable: boolean;
  default: string | null;
  comment: string | null;
  position: number;
  key_position: number | null;
  partition_position: number | null;
}

export interface TableDetail {
  name: string;
  table_id: number;
  database: string;
  database_id: number;
  comment: string;
  version: number;
  head_version: number;
  schema_version: number;
  columns: Column[];
  primary_key: string[];
  partition_by: string[];
  properties: Record<string, string>;
  rows: number;
  bytes: number;
  files: number;
  delete_files: number;
  deleted_rows: number;
  partitions: number;
}

export interface Segment {
  segment_id: number;
  path: string;
  rows: number;
  bytes: number;
  deleted_rows: number;
  partition: Record<string, string | null>;
  schema_version: number;
  is_visible: boolean;
  added_version: number;
  delete_files: number;
}

export interface Schemas {
  visible: {
    version: number;
    branch: string;
    time: string;
    operation: string;
    is_current: boolean;
    columns: Column[];
  }[];
  invisible: { version: number; added_version: number; segments: number; columns: Column[] }[];
  discarded: { version: number; merge_id: string; merged_version: number; source: string; columns: Column[] }[];
}

export interface PartitionEntry {
  partition: string;
  values: Record<string, string | null>;
  rows: number;
  bytes: number;
  files: number;
  is_declared: boolean;
}

export interface RowPage {
  columns: { name: string; type: string }[];
  rows: unknown[][];
  truncated: boolean;
  version: number;
}

export type ObjectKind = "database" | "table";
export type Verdict = "conflict" | "note" | "ok" | "new";

export interface ComparedObject {
  kind: ObjectKind;
  object_id: number;
  name: string;
  database: string;
  action: string;
  source_ops: string[];
  dest_ops: string[];
  verdict: Verdict;
  codes: string[];
}

export interface Head {
  catalog: string;
  name: string;
  branch_id: number;
  head_version: number;
}

export interface Comparison {
  source: Head;
  destination: Head;
  merge_base: number;
  ahead: number;
  behind: number;
  mergeable: boolean;
  is_empty: boolean;
  fingerprint: string;
  rules_digest: string;
  counts: {
    objects: number;
    conflict: number;
    note: number;
    ok: number;
    new: number;
    conflicts: number;
    notes: number;
  };
  next: string | null;
  results: ComparedObject[];
}

export interface Finding {
  object: string;
  kind: ObjectKind;
  object_id: number;
  rule_table: string;
  source_op: string;
  dest_op: string;
  verdict: "conflict" | "note" | "ok";
  code: string;
  note: string;
  message: string;
  remedy: string;
  source_versions: number[];
  dest_versions: number[];
  details: Record<string, unknown>;
}

export interface SideCommit {
  version: number;
  branch: string;
  operation: string;
  statement: string;
  author: string;
  time: string;
  operations: { kind: string; metrics: Record<string, number> }[];
  rows: number;
  files_added: number;
  files_touched: number;
}

export interface ComparedColumn {
  id: number;
  base: Column | null;
  source: Column | null;
  destination: Column | null;
  result: Column | null;
  is_changed: boolean;
}

export interface ComparedProperty {
  key: string;
  base: string | null;
  source: string | null;
  destination: string | null;
  result: string | null;
  is_changed: boolean;
}

export interface PartitionChange {
  before: Record<string, string | null> | null;
  after: Record<string, string | null> | null;
}

export interface Preview {
  rows_before: number;
  rows_after: number;
  rows_are_exact: boolean;
  files_before: number;
  files_after: number;
  bytes_before: number;
  bytes_after: number;
  schema_changes: boolean;
  invisible_schema_versions: number[];
  discarded_schema_versions: number[];
}

export interface ComparedFiles {
  brought: { path: string; rows: number; bytes: number; schema_version: number; is_visible: boolean }[];
  brought_count: number;
  removed: { path: string; rows: number; bytes: number }[];
  removed_count: number;
  delete_files_attached: number;
  rewrites: number;
}

export interface ComparedDetail {
  kind: ObjectKind;
  object_id: number;
  name: string;
  action: string;
  verdict: Verdict;
  source_head: number;
  destination_head: number;
  merge_base: number;
  rule_table: string;
  cells: Finding[];
  source_commits: SideCommit[];
  dest_commits: SideCommit[];
  columns: ComparedColumn[];
  properties: ComparedProperty[];
  names: { base: string | null; source: string | null; destination: string | null; result: string | null };
  partitions: { source: PartitionChange[]; destination: PartitionChange[] };
  /** Files and the preview are null while the object conflicts, and for a database. */
  files: ComparedFiles | null;
  preview: Preview | null;
}

export interface RuleAxis {
  key: string;
  label: string;
  past: string;
}

export interface RuleCell {
  source: string;
  destination: string;
  verdict: "ok" | "conflict" | "conditional";
  origin: "seed" | "extension";
  sentence: string;
  note: string;
  condition: string;
  code: string;
}

export interface RuleTable {
  name: string;
  title: string;
  axes: RuleAxis[];
  cells: RuleCell[];
}

export interface Rules {
  digest: string;
  tables: RuleTable[];
  codes: { code: string; title: string; remedy: string; kind: "conflict" | "note" }[];
}

export interface MergedTable {
  table: string;
  table_id: number;
  action: string;
  visible_schema_versions: number[];
  invisible_schema_versions: number[];
  discarded_schema_versions: number[];
  new_segment_count: number;
  new_rows: number;
  new_bytes: number;
  new_segments: { path: string; rows: number; bytes: number; schema_version: number; is_visible: boolean }[];
  removed_segments: string[];
}

/** The audit record of one attempt; `tables` and `duration_ms` only when it merged. */
export interface MergeRecord {
  merge_id: string;
  catalog: string;
  source: string;
  destination: string;
  outcome: "merged" | "nothing to merge" | "refused" | "dry run" | "failed";
  version: number | null;
  source_head: number;
  destination_head: number;
  merge_base: number;
  fingerprint: string;
  actor: string;
  task_id: string | null;
  time: string;
  digest: string;
  findings: Finding[];
  conflicts: Finding[];
  notes: Finding[];
  plan?: { objects: { kind: ObjectKind; object_id: number; object: string; action: string; operations: Record<string, number> }[] };
  tables?: MergedTable[];
  duration_ms?: number;
}

export interface Token {
  id: number;
  name: string;
  prefix: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  is_expired: boolean;
}
