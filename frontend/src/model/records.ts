/** The kinds of records in the audit, in words, and what a changed setting said before and says after. */
import type { RecordKind } from "../api/paths";
import type { Finding, MergedTable, SettingsRecord } from "../api/resources";
import { count, counted } from "./format";

export interface RecordKindWords {
  kind: RecordKind;
  title: string;
  /** Where there is no such record. */
  empty: string;
}

export const MERGES: RecordKindWords = { kind: "merge", title: "Merges", empty: "No merge was tried yet" };
export const RECORD_KINDS: readonly RecordKindWords[] = [
  MERGES,
  { kind: "bypass", title: "Bypassed protections", empty: "No protection was bypassed" },
  { kind: "settings", title: "Changed settings", empty: "No setting was changed yet" },
  { kind: "restore", title: "Restores", empty: "Nothing was restored yet" },
  { kind: "undrop", title: "Undrops", empty: "Nothing was undropped yet" },
  { kind: "transaction", title: "Transactions", empty: "No transaction was committed yet" },
  { kind: "vacuum", title: "Vacuums", empty: "No vacuum was run yet" },
];

export interface ChangedField {
  field: string;
  before: string;
  after: string;
}

/** The fields that differ, by name; all of them where the setting is new or was removed. */
export function changedFields({ before, after }: Pick<SettingsRecord, "before" | "after">): ChangedField[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return fields
    .map((field) => ({ field: field.replaceAll("_", " "), before: shown(before?.[field]), after: shown(after?.[field]) }))
    .filter((change) => change.before !== change.after);
}

/** How much of the source's updates or deletes of a table was left behind: rows, and whole files where it emptied some. To
 * the deletes belong rows that stayed because the target had updated them. */
export function discardedText(
  notes: readonly Finding[],
  table: Pick<MergedTable, "table_id" | "kept_updated_rows">,
  code: "DISCARDED_UPDATE" | "DISCARDED_DELETE",
): string {
  const found = notes.filter((note) => note.kind === "table" && note.object_id === table.table_id && note.code === code);
  const sum = (name: string) => found.reduce((total, { details }) => total + Number(details[name] ?? 0), 0);
  // Records made before notes counted these rows have them with the table alone.
  const isNoted = found.some(({ details }) => details.kept_updated_rows);
  const rows = sum("rows") + (code === "DISCARDED_DELETE" && !isNoted ? (table.kept_updated_rows ?? 0) : 0);
  const files = sum("emptied_files");
  if (files) return `${rows ? `${counted(rows, "row")}, ` : ""}${counted(files, "file")}`;
  return rows ? count(rows) : "—";
}

/** What was done with the setting. */
export function settingText({ setting, name, before, after }: Pick<SettingsRecord, "setting" | "name" | "before" | "after">): string {
  const done = before === null ? "added" : after === null ? "removed" : "changed";
  return `${setting} ${name} ${done}`;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "—";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none";
  return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
}
