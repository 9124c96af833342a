/** Suggested values: what is sent of them, and what may carry one. */
import { jsonOf, type Typed } from "./edited-row";
import type { Comment } from "../api/resources";

/** A row as the source of a request has it, where it is known. */
export interface SeenRow {
  columns: readonly { name: string; type: string }[];
  values: readonly unknown[];
}

/** A cell of the source that may get another value. */
export interface SeenCell {
  type: string;
  was: unknown;
}

const WHOLE_OR_DECIMAL = /^(tinyint|smallint|int|bigint|decimal)/i;
const TAKES_NONE = /^(array|map|struct|binary|variant|interval)/i;

/** The cell of the column; undefined where no value can be suggested. A row is found again by its primary key, or by its row id. */
export function seenCell(row: SeenRow | undefined, rowKey: string, column: string | undefined): SeenCell | undefined {
  const at = row?.columns.findIndex(({ name }) => name === column) ?? -1;
  const type = row?.columns[at]?.type;
  if (rowKey === "" || row === undefined || type === undefined || TAKES_NONE.test(type)) return undefined;
  return { type, was: sent(row.values[at], type) };
}

/** Why no value can be suggested for the column of the row; undefined where one can be, or where no column is chosen. */
export function suggestionRefusal(row: SeenRow | undefined, rowKey: string, column: string | undefined): string | undefined {
  if (rowKey === "" || column === undefined || seenCell(row, rowKey, column) !== undefined) return undefined;
  const type = row?.columns.find(({ name }) => name === column)?.type;
  if (row === undefined || type === undefined) return "No value can be suggested here: the source has no such value now.";
  return `No value can be suggested here: values of ${type} cannot be typed in this page. Say in the comment what it is to be.`;
}

/** What is sent of a typed value; undefined where it is no value of the type. */
export function suggestedValue(typed: Typed, type: string): { value: unknown } | undefined {
  if (typed === null) return { value: null };
  const json = jsonOf(typed, type);
  if (json === undefined) return undefined;
  return { value: WHOLE_OR_DECIMAL.test(type) ? typed.trim() : (JSON.parse(json) as unknown) };
}

/** Numbers that a number of JavaScript may not hold are sent as texts. */
function sent(value: unknown, type: string): unknown {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return isNumber && WHOLE_OR_DECIMAL.test(type) ? value.toString() : (value ?? null);
}

/** Open suggestions that can be one commit, where there are several: of a table with a primary key all, else those of one row. */
export function openTogether(comments: readonly Comment[]): { place: string; comments: number[] }[] {
  const found = new Map<string, { place: string; comments: number[] }>();
  for (const { id, object_id: table, object_name: name, row_key: key, suggestion } of comments) {
    if (table === null || suggestion?.state !== "open") continue;
    const row = key.startsWith("{") ? "" : key;
    const together = `${String(table)} ${row}`;
    const known = found.get(together) ?? { place: row ? `row id ${row} of ${name}` : name, comments: [] };
    found.set(together, { ...known, comments: [...known.comments, id] });
  }
  return [...found.values()].filter(({ comments: ids }) => ids.length > 1);
}
