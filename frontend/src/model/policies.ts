/** Merge policies: what they are made of, and what they say, in words. */
import type { MergePolicy, RequestDetail } from "../api/resources";
import { keyText } from "./decisions";
import { cellText, counted } from "./format";

export const OPERATIONS = ["insert", "update", "delete", "create", "drop", "rename", "column", "set properties", "partition", "overwrite", "compaction"] as const;

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

export const LIMITS = [
  { limit: "max_rows", label: "At most so many changed rows" },
  { limit: "max_deleted", label: "At most so many deleted rows" },
  { limit: "max_emptied", label: "At most so many values that become NULL" },
  { limit: "max_dropped_columns", label: "At most so many dropped columns" },
] as const;

export const NEW_POLICY: MergePolicy = {
  name: "",
  tables: [],
  operations: ["insert", "update"],
  max_rows: 1000,
  max_share: null,
  max_deleted: 0,
  max_emptied: null,
  max_dropped_columns: 0,
  refuse_stale_reads: false,
  rules: [],
  hours: null,
  spot_check: 0,
  approvals: 0,
  approvers: [],
  merges: false,
};

type Rules = NonNullable<MergePolicy["rules"]>;

/** The rules of these conditions, one a line; what a rule says besides its condition stays. */
export function withRules(rules: Rules, text: string): Rules {
  const conditions = text.split("\n");
  return text === "" ? [] : conditions.map((condition, at) => ({ tables: ["*"], changes: ["insert", "update", "delete"], ...rules[at], condition }));
}

/** The policies as they are sent: lines without a condition are none. */
export function policiesSent(policies: readonly MergePolicy[]): MergePolicy[] {
  return policies.map((policy) => ({
    ...policy,
    rules: (policy.rules ?? []).map((rule) => ({ ...rule, condition: rule.condition.trim() })).filter(({ condition }) => condition !== ""),
  }));
}

/** `small (no person), large (2 approvals)`. */
export function policiesText(policies: readonly MergePolicy[]): string {
  return policies
    .map(({ name, approvals, approvers, spot_check }) => {
      const needed = Math.max(approvals, spot_check || approvers?.length ? 1 : 0);
      return `${name} (${needed ? counted(needed, "approval") : "no person"})`;
    })
    .join(", ");
}

const LIMIT_WORDS: Record<string, string> = {
  conflicts: "Conflicts",
  tables: "Tables",
  operations: "Operations",
  max_rows: "Changed rows",
  max_deleted: "Deleted rows",
  max_share: "Changed share of a table",
  max_emptied: "Values that become NULL",
  max_dropped_columns: "Dropped columns",
  refuse_stale_reads: "Stale reads",
  hours: "Hours",
  spot_check: "Rows to look at",
};
const RULE = "rules: ";

/** A limit of a policy as its form calls it; a rule by its condition. */
export function limitText(limit: string): string {
  return limit.startsWith(RULE) ? `Rule ${limit.slice(RULE.length)}` : (LIMIT_WORDS[limit] ?? limit);
}

type SpotRow = RequestDetail["spot_rows"][number];
const CHANGE_WORDS = { insert: "inserted", update: "updated", delete: "deleted" } as const;

/** `d.t: updated row id = 7`; a row without a key by its id. */
export function spotRowName({ table, change, key }: SpotRow): string {
  return `${table}: ${CHANGE_WORDS[change]} row ${keyText(key)}`;
}

export interface SpotValue {
  column: string;
  /** Undefined where the row is inserted, or deleted. */
  old: string | undefined;
  new: string | undefined;
}

/** The values of a drawn row: of an update those that differ, else all. */
export function spotValues({ old: before, new: after }: SpotRow): SpotValue[] {
  const columns = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const values = columns.map((column) => ({ column, old: before ? cellText(before[column]) : undefined, new: after ? cellText(after[column]) : undefined }));
  return before && after ? values.filter(({ column }) => JSON.stringify(before[column]) !== JSON.stringify(after[column])) : values;
}
