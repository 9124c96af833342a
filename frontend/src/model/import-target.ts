/** What a file would meet in the table that it is to be loaded into. */
import type { Column, ImportColumn } from "../api/resources";

/** A name for a table made of that of a file: `Delays 2014.csv` gives `delays_2014`. */
export function tableNameOf(file: string): string {
  const stem = file.replace(/\.[^.]*$/, "");
  return stem.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_").replaceAll(/^_+|_+$/g, "") || "imported";
}

/** The column of the table that a column of the file goes into; names match whatever their case. */
export function columnFor(column: Pick<ImportColumn, "name">, table: readonly Column[]): Column | undefined {
  return table.find((known) => known.name.toLowerCase() === column.name.toLowerCase());
}

/** Columns that the table wants a value for, and the file has none. */
export function columnsMissing(file: readonly ImportColumn[], table: readonly Column[]): string[] {
  const named = new Set(file.filter((column) => column.include).map((column) => column.name.toLowerCase()));
  return table
    .filter((column) => !column.nullable && column.default === null && !named.has(column.name.toLowerCase()))
    .map((column) => column.name);
}

/** Columns of the file that the table does not have. */
export function columnsUnknown(file: readonly ImportColumn[], table: readonly Column[]): string[] {
  return file.filter((column) => column.include && !columnFor(column, table)).map((column) => column.name);
}
