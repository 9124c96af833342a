/** Statements that write one row of a table, as the forms of the pages put them together. */
import type { Column, TableDetail } from "../api/resources";
import { typedOf, type Typed } from "./edited-row";
import { quoted, tableName, text } from "./sql";
import type { TableName } from "./table-changes";

/** What was typed by the name of the column. A field that was left alone has no entry. */
export type TypedRow = Readonly<Record<string, Typed>>;

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?$/;

const LITERALS: readonly { types: RegExp; of: (typed: string, type: string) => string | undefined }[] = [
  { types: /^(tinyint|smallint|int|bigint)$/i, of: (typed) => only(/^-?\d+$/, typed) },
  { types: /^decimal/i, of: (typed, type) => cast(only(/^-?\d+(\.\d+)?$/, typed), type) },
  { types: /^(float|double)$/i, of: (typed, type) => cast(only(NUMBER, typed) ?? only(/^(NaN|-?Infinity)$/, typed), type) },
  { types: /^boolean$/i, of: (typed) => only(/^(true|false)$/i, typed)?.toUpperCase() },
  { types: /^date$/i, of: (typed) => named("DATE", only(DATE, typed)) },
  { types: /^timestamp$/i, of: (typed) => named("TIMESTAMP", only(TIMESTAMP, typed)) },
  { types: /^timestamp_ntz$/i, of: (typed) => named("TIMESTAMP_NTZ", only(TIMESTAMP, typed)) },
  // Blanks around a text are part of it.
  { types: /^(string|varchar|char)/i, of: text },
];

/** Whether a value of the type can be typed into a field. */
export function isTypable({ type }: Pick<Column, "type">): boolean {
  return LITERALS.some(({ types }) => types.test(type));
}

/** What was typed as SQL writes it; undefined where it is no value of the type. */
export function literal(typed: Typed, type: string): string | undefined {
  return typed === null ? "NULL" : LITERALS.find(({ types }) => types.test(type))?.of(typed, type);
}

function only(pattern: RegExp, typed: string): string | undefined {
  const trimmed = typed.trim();
  return pattern.test(trimmed) ? trimmed : undefined;
}

function cast(value: string | undefined, type: string): string | undefined {
  return value === undefined ? undefined : `CAST('${value}' AS ${type.toUpperCase()})`;
}

function named(word: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${word} '${value}'`;
}

/** The columns that say which row it is: the primary key, else all. Undefined where a value of one cannot be written. */
export function namingColumns(columns: readonly Column[]): readonly Column[] | undefined {
  const key = columns.filter(({ key_position: position }) => position !== null);
  const naming = key.length ? key : columns;
  return naming.every(isTypable) ? naming : undefined;
}

/** A row by its columns, as the server sent it. */
export type HeldRow = Readonly<Record<string, unknown>>;

/** Undefined where nothing differs, or a field holds no value of its type. */
export function rowUpdate(table: TableName, columns: readonly Column[], row: HeldRow, typed: TypedRow): string | undefined {
  const changed = columns.filter(({ name }) => name in typed && typed[name] !== typedOf(row[name]));
  const set = changed.map(({ name, type }) => [name, literal(typed[name] ?? null, type)] as const);
  const where = condition(columns, row);
  if (set.length === 0 || where === undefined || set.some(([, value]) => value === undefined)) return undefined;
  return `UPDATE ${tableName(table.database, table.table)}\nSET ${set.map(([name, value]) => `${quoted(name)} = ${value ?? ""}`).join(", ")}\nWHERE ${where}`;
}

export function rowDelete(table: TableName, columns: readonly Column[], row: HeldRow): string | undefined {
  const where = condition(columns, row);
  return where === undefined ? undefined : `DELETE FROM ${tableName(table.database, table.table)}\nWHERE ${where}`;
}

/** Columns of fields that were left alone get their default. Undefined while one lacks a value, or a field holds none of its
 * type. */
export function rowInsert(table: TableName, columns: readonly Column[], typed: TypedRow): string | undefined {
  const given = columns.filter(({ name }) => name in typed);
  const values = given.map(({ name, type }) => literal(typed[name] ?? null, type));
  const isMissing = columns.some((column) => isNeeded(column) && (typed[column.name] ?? null) === null);
  if (given.length === 0 || isMissing || values.includes(undefined)) return undefined;
  return `INSERT INTO ${tableName(table.database, table.table)} (${given.map(({ name }) => quoted(name)).join(", ")})\nVALUES (${values.join(", ")})`;
}

/** The columns that a new row may have values for. The others, generated and identity columns, the table fills itself. */
export function givenColumns({ columns, constraints }: Pick<TableDetail, "columns" | "constraints">): readonly Column[] {
  return columns.filter(({ id }) => !(`generated column ${id}` in constraints));
}

/** Whether a new row must have a value of the column. */
export function isNeeded({ nullable, default: otherwise }: Pick<Column, "nullable" | "default">): boolean {
  return !nullable && otherwise === null;
}

/** The row as a condition: by its key, else by all that it holds. A NULL is asked for by IS NULL. */
function condition(columns: readonly Column[], row: HeldRow): string | undefined {
  const naming = namingColumns(columns);
  const parts = naming?.map((column) => {
    const value = typedOf(row[column.name]);
    if (value === null) return `${quoted(column.name)} IS NULL`;
    const written = literal(value, column.type);
    return written === undefined ? undefined : `${quoted(column.name)} = ${written}`;
  });
  return parts === undefined || parts.includes(undefined) ? undefined : parts.join(" AND ");
}
