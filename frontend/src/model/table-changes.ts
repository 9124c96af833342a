/** Statements that alter a table, as the forms of the pages put them together. */
import { quoted, tableName, text } from "./sql";

export interface TableName {
  database: string;
  table: string;
}

export function tableDrop({ database, table }: TableName): string {
  return `DROP TABLE ${tableName(database, table)}`;
}

/** Another name, another database, or both. */
export function tableRename(from: TableName, to: TableName): string {
  const name = to.database === from.database ? quoted(to.table) : tableName(to.database, to.table);
  return altered(from, `RENAME TO ${name}`);
}

export interface AddedColumn {
  name: string;
  type: string;
  comment: string;
  /** A constant as SQL writes it: `0`, `'new'`. Empty: none, so that rows that are there hold NULL. */
  default: string;
  isRequired: boolean;
  /** The column that it stands behind; empty: at the end; null: first. */
  after: string | null;
}

export function columnAdd(table: TableName, column: AddedColumn): string {
  const parts = [
    quoted(column.name),
    column.type,
    column.isRequired ? "NOT NULL" : "",
    column.default ? `DEFAULT ${column.default}` : "",
    column.comment ? `COMMENT ${text(column.comment)}` : "",
    placed(column.after),
  ];
  return altered(table, `ADD COLUMN ${parts.filter(Boolean).join(" ")}`);
}

function placed(after: string | null): string {
  if (after === null) return "FIRST";
  return after ? `AFTER ${quoted(after)}` : "";
}

/** What a form changes of a column. */
export type ColumnChange =
  | { kind: "rename"; name: string }
  | { kind: "type"; type: string }
  | { kind: "comment"; comment: string }
  | { kind: "nulls"; isRequired: boolean }
  | { kind: "default"; default: string }
  | { kind: "move"; after: string | null }
  | { kind: "drop" };

/** Undefined while the change says nothing. */
export function columnAlter(table: TableName, column: string, change: ColumnChange): string | undefined {
  const name = quoted(column);
  switch (change.kind) {
    case "rename":
      return change.name && change.name !== column ? altered(table, `RENAME COLUMN ${name} TO ${quoted(change.name)}`) : undefined;
    case "type":
      return change.type ? altered(table, `ALTER COLUMN ${name} TYPE ${change.type}`) : undefined;
    case "comment":
      return altered(table, `ALTER COLUMN ${name} COMMENT ${text(change.comment)}`);
    case "nulls":
      return altered(table, `ALTER COLUMN ${name} ${change.isRequired ? "SET" : "DROP"} NOT NULL`);
    case "default":
      return altered(table, `ALTER COLUMN ${name} ${change.default ? `SET DEFAULT ${change.default}` : "DROP DEFAULT"}`);
    case "move":
      return change.after === "" || change.after === column ? undefined : altered(table, `ALTER COLUMN ${name} ${placed(change.after)}`);
    case "drop":
      return altered(table, `DROP COLUMN ${name}`);
  }
}

export function propertySet(table: TableName, key: string, value: string): string {
  return altered(table, `SET TBLPROPERTIES (${text(key)} = ${text(value)})`);
}

export function propertyUnset(table: TableName, key: string): string {
  return altered(table, `UNSET TBLPROPERTIES (${text(key)})`);
}

/** Values by partition column; those that are empty are not named. Undefined where a partition is not said by them: a new
 * one needs every value, a dropped one any. */
export function partitionChange(table: TableName, change: "ADD" | "DROP", values: readonly (readonly [string, string])[]): string | undefined {
  const given = values.filter(([, value]) => value !== "");
  if (given.length === 0 || (change === "ADD" && given.length < values.length)) return undefined;
  return altered(table, `${change} PARTITION (${given.map(([column, value]) => `${quoted(column)} = ${text(value)}`).join(", ")})`);
}

function altered({ database, table }: TableName, change: string): string {
  return `ALTER TABLE ${tableName(database, table)} ${change}`;
}
