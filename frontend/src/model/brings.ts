/** What a merge would bring, in words and in signs: the first line of a comparison, and what stands beside each object. */
import type { ComparedObject, Comparison } from "../api/resources";
import { count, counted } from "./format";
import { inOrder } from "./reading-order";

export type Brought = ComparedObject["brings"];

const AND = new Intl.ListFormat("en-GB", { type: "conjunction" });

const FUTURE = { bring: "would bring", change: "would change", drop: "would drop" };
const PAST = { bring: "brought", change: "changed", drop: "dropped" };

/** `delays would bring 610 updated rows and 1 new column to flights.flights.`; of what was merged, that it brought them. */
export function bringsSentence(summary: Comparison, { isMerged = false } = {}): string {
  const { source, destination, brings, is_empty } = summary;
  const verbs = isMerged ? PAST : FUTURE;
  if (is_empty) return `${inOrder(destination.name)} has everything of ${inOrder(source.name)}.`;
  const gains = [...rowsAndColumns(brings), ...counts([[brings.tables_created, "new table"], [brings.databases_created, "new database"]])];
  const drops = counts([[brings.tables_dropped, "table"], [brings.databases_dropped, "database"]]);
  const changed = brings.tables_changed + brings.databases_changed;
  const clauses = [
    ...(gains.length ? [`${verbs.bring} ${AND.format(gains)} to ${whereOf(summary)}`] : []),
    ...(gains.length === 0 && changed ? [settingsClause(summary, isMerged)] : []),
    ...(drops.length ? [`${verbs.drop} ${AND.format(drops)}`] : []),
  ];
  return `${inOrder(source.name)} ${clauses.length ? AND.format(clauses) : `${verbs.change} nothing on ${inOrder(destination.name)}`}.`;
}

/** What changes of the one object that is changed, where neither rows nor columns do. */
function settingsClause(summary: Comparison, isMerged: boolean): string {
  const { results, counts: { objects } } = summary;
  const [only] = objects === 1 ? results : [];
  const [operation, other] = only?.source_ops ?? [];
  const where = whereOf(summary);
  const verbs = isMerged ? PAST : FUTURE;
  if (only && operation === "rename" && other === undefined) return `${isMerged ? "renamed" : "would rename"} a ${only.kind} to ${where}`;
  const what = other === undefined && operation === "partition" ? "partitions" : "settings";
  return `${verbs.change} the ${what} of ${where}`;
}

/** The one object that is changed, how many tables, or the branch where it also gets new ones. */
function whereOf({ brings, counts: { objects }, results, destination }: Comparison): string {
  const { tables_created, tables_changed, databases_created, databases_changed } = brings;
  if (tables_created + databases_created > 0) return inOrder(destination.name);
  if (objects === 1 && results[0]) return inOrder(results[0].name);
  if (databases_changed === 0 && tables_changed > 0) return `${counted(tables_changed, "table")} of ${inOrder(destination.name)}`;
  return inOrder(destination.name);
}

/** `up to 12 updated rows`, `1 new column`. */
export function rowsAndColumns(brings: Brought): string[] {
  const rows = counts([[brings.rows_updated, "updated row"], [brings.rows_inserted, "new row"], [brings.rows_deleted, "deleted row"]]);
  const [first, ...others] = rows;
  const shown = first !== undefined && !brings.rows_are_exact ? [`up to ${first}`, ...others] : rows;
  return [...shown, ...counts([[brings.columns_added, "new column"], [brings.columns_dropped, "dropped column"], [brings.columns_changed, "changed column"]])];
}

function counts(found: readonly (readonly [number, string])[]): string[] {
  return found.filter(([number]) => number > 0).map(([number, word]) => counted(number, word));
}

export type RowKind = "insert" | "update" | "delete";
export type SignKind = RowKind | "column" | "bound";

export interface Sign {
  kind: SignKind;
  text: string;
}

/** `+0`, `~610`, `−0`, `+1 column`; in short only those that are not none. `≤` stands before numbers that are a bound. */
export function signsOf(brings: Brought, { short = false } = {}): Sign[] {
  const rows: [SignKind, string, number][] = [
    ["insert", "+", brings.rows_inserted],
    ["update", "~", brings.rows_updated],
    ["delete", "−", brings.rows_deleted],
  ];
  const columns: [string, number][] = [["+", brings.columns_added], ["−", brings.columns_dropped], ["~", brings.columns_changed]];
  const unit = short ? "col" : "column";
  return [
    ...(brings.rows_are_exact ? [] : [{ kind: "bound" as const, text: "≤" }]),
    ...rows.filter(([, , number]) => !short || number > 0).map(([kind, sign, number]) => ({ kind, text: `${sign}${count(number)}` })),
    ...columns.filter(([, number]) => number > 0).map(([sign, number]) => ({ kind: "column" as const, text: `${sign}${short ? `${count(number)} ${unit}` : counted(number, unit)}` })),
  ];
}

export const SQUARES = 5;

/** Five squares shared out by what happened to rows; each kind that happened has one at least. */
export function squaresOf({ rows_inserted, rows_updated, rows_deleted }: Brought): RowKind[] {
  const found = ([["insert", rows_inserted], ["update", rows_updated], ["delete", rows_deleted]] as [RowKind, number][]).filter(([, number]) => number > 0);
  const total = found.reduce((sum, [, number]) => sum + number, 0);
  if (total === 0) return [];
  const squares = found.map(([kind, number]) => ({ kind, share: Math.max(1, Math.round((number / total) * SQUARES)) }));
  while (squares.reduce((sum, { share }) => sum + share, 0) > SQUARES) {
    const largest = squares.reduce((one, other) => (other.share > one.share ? other : one));
    largest.share -= 1;
  }
  return squares.flatMap(({ kind, share }) => Array.from({ length: share }, () => kind));
}
