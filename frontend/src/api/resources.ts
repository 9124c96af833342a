/** Bodies of the interface by the names that the pages use. Versions and ids are integers, times ISO 8601 UTC. */
import type { components } from "./schema";

type Described = components["schemas"];

export type Restriction = Described["RestrictionAnswer"];
export type SeenTable = Described["RestrictionPreviewAnswer"];
export type RestrictedRole = Described["RestrictedRole"];
export type Catalog = Described["CatalogAnswer"];
export type DroppedCatalog = Described["DroppedCatalog"];
export type Branch = Described["BranchAnswer"];
export type CommitEntry = Described["CommitAnswer"];
export type OperationEntry = Described["OperationAnswer"];
export type Graph = Described["GraphAnswer"];
export type GraphCommit = Described["GraphCommitEntry"];
export type GraphBranch = Described["GraphBranchEntry"];
export type FailedMerge = Described["FailedMergeEntry"];
export type GraphTag = Described["TagEntry"];
export type Dropped = Described["DroppedAnswer"];
export type Database = Described["DatabaseAnswer"];
export type TableSummary = Described["TableSummary"];
export type TableDetail = Described["TableAnswer"];
export type Column = Described["TableColumn"];
export type Segment = Described["SegmentAnswer"];
export type Schemas = Described["SchemasAnswer"];
export type Comparison = Described["ComparisonAnswer"];
export type ComparedDatabase = Described["ComparedDatabase"];
export type ComparedObject = Described["ComparedEntry"];
export type ComparedRow = Described["ComparedRow"];
export type TableProfile = Described["CompareProfileAnswer"];
export type ColumnProfile = Described["ColumnProfileEntry"];
/** A column of a table, as the statistics of its files know it. */
export type KnownColumn = Described["TableProfileAnswer"]["columns"][number];
export type ValueCounts = Described["ValueCountsEntry"];
export type SidesColumn = Described["SidesColumn"];
export type ComparedDetail = Described["ObjectComparisonAnswer"];
export type SideCommit = Described["SideCommitEntry"];
export type Finding = Described["FindingEntry"];
export type RowPage = Described["StatementAnswer"];
export type SearchResult = Described["SearchResult"];
export type FileImport = Described["ImportAnswer"];
export type ImportColumn = Described["ImportColumn"];
export type ReadingChange = Described["PatchedReadingRequest"];
export type ColumnChange = Described["ColumnChange"];
export type ImportTarget = Described["LoadRequest"];
export type Role = Described["CatalogRole"];
export type Member = Described["MemberAnswer"];
export type CatalogSettings = Described["CatalogSettings"];
export type ProtectionRule = Described["RuleAnswer"];
export type TableOwners = Described["TableOwners"];
export type MergePolicy = Described["MergePolicy"];
export type ProtectionChoice = Described["RuleRequest"];
export type Protection = Described["ProtectionAnswer"];
export type SavedQuery = Described["SavedQueryAnswer"];
export type KeptStatement = Described["KeptStatementAnswer"];
export type Check = Described["CheckAnswer"];
export type CheckStanding = Described["CheckStandingEntry"];
export type Webhook = Described["WebhookAnswer"];
export type WebhookChoice = Described["NewWebhook"];
export type WebhookEvent = WebhookChoice["events"][number];
export type Delivery = Described["DeliveryAnswer"];
export type MergeRequest = Described["RequestAnswer"];
export type RequestDetail = Described["RequestDetail"];
export type RequestState = Described["MergeRequestState"];
export type RequestChange = Described["PatchedRequestChange"];
export type NewRequest = Described["NewRequest"];
export type InboxEntry = Described["InboxEntry"];
export type TimelineEvent = Described["TimelineAnswer"];
export type Review = Described["ReviewAnswer"];
export type ReviewVerdict = Described["ReviewVerdict"];
export type Comment = Described["CommentAnswer"];
export type NewComment = Described["NewComment"];
export type Resolution = Described["ResolutionAnswer"];
export type DecisionEffect = Described["DecisionEffect"];
export type ResolutionChoice = Described["ResolutionBody"];
export type TokenScope = Described["TokenScope"];
export type Verdict = Described["ObjectVerdict"];
export type ObjectKind = Described["ObjectKind"];
export type Strategy = Described["MergeStrategy"];
export type PipelineSummary = Described["PipelineSummary"];
export type Pipeline = Described["PipelineAnswer"];
export type NewPipeline = Described["PipelineRequest"];
/** Only what is given changes; the document names defaults that count for new pipelines. */
export type PipelineEdit = Partial<Described["PatchedPipelineEdit"]>;
export type PipelineText = Pick<Pipeline, "source" | "config">;
export type PipelineBody = Described["PipelineFields"];
export type PipelineVersion = Described["VersionSummary"];
export type PipelineField = Described["FieldEntry"];
export type EffectiveConfiguration = Described["EffectiveConfiguration"];
export type PipelineRun = Described["RunSummary"];
export type LandingZone = Described["ZoneEntry"];
export type LandingFile = Described["LandingFileAnswer"];
export type PipelineRunDetail = Described["RunAnswer"];
export type Rehearsal = Described["RehearsalAnswer"];
export type PipelineDraft = Described["RenderRequest"];
export type PipelineTexts = Described["ValidationRequest"];

// What the document describes only as objects.

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
  kept_updated_rows?: number;
}

/** What every record of the audit has. */
interface RecordHead {
  merge_id: string;
  catalog: string;
  source: string;
  destination: string;
  version: number | null;
  source_head: number;
  destination_head: number;
  merge_base: number;
  fingerprint: string;
  actor: string;
  task_id: string | null;
  time: string;
  digest: string;
}

/** The audit record of one attempt; `tables` and `duration_ms` only when it merged, `message` when it was refused. */
export interface MergeRecord extends RecordHead {
  kind: "merge";
  outcome: "merged" | "nothing to merge" | "refused" | "dry run" | "failed";
  message?: string;
  /** What took a merge back, if anything did. */
  undone_by?: RequestDetail["undone_by"];
  /** Of a merge that a merge request was carried out for, besides who approved what of it. */
  request?: { number: number; title: string; author: string };
  approvals?: { reviewer: string; review: number; fingerprint: string; looked_at?: string[][] }[];
  resolutions?: { resolution: number; author: string; object_kind: ObjectKind; object_id: number; decision: string; part: string; part_key: string; name: string; value?: string; object?: string; column?: string; effect?: string }[];
  checks?: { name: string; state: string; task: string }[];
  findings: Finding[];
  conflicts: Finding[];
  notes: Finding[];
  plan?: { objects: { kind: ObjectKind; object_id: number; object: string; action: string; operations: Record<string, number> }[] };
  tables?: MergedTable[];
  duration_ms?: number;
}

/** Who changed a member, a rule, a check or a webhook; `before` is null where it is new, `after` where it was removed. */
export interface SettingsRecord extends RecordHead {
  kind: "settings";
  outcome: string;
  setting: string;
  name: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** An owner went past a protection. */
export interface BypassRecord extends RecordHead {
  kind: "bypass";
  outcome: string;
  reason: string;
  refused: string;
  patterns: string[];
  statement: string;
}

/** A restore, an undrop, a transaction's commit, or a VACUUM. */
export interface LakeRecord extends RecordHead {
  kind: "restore" | "undrop" | "transaction" | "vacuum";
  outcome: string;
  message?: string;
  statement?: string;
  files?: number;
  bytes?: number;
  older_than?: string;
}

export type AuditRecord = MergeRecord | SettingsRecord | BypassRecord | LakeRecord;
