/** Statements that hide rows and columns of a table, or show them again. */
import { quoted } from "./sql";

export type Whom = { role: string } | { group: string };

export function whomText(whom: Whom): string {
  return "role" in whom ? `role ${whom.role}` : `group ${whom.group}`;
}

/** A row filter, or with a column the mask of it. Without an expression it is lifted. */
export interface RestrictionPart {
  /** The table's name as a statement writes it. */
  table: string;
  whom: Whom;
  column: string | null;
  expression: string | null;
}

export function restrictionStatement({ table, whom, column, expression }: RestrictionPart): string {
  const from = "role" in whom ? `ROLE ${quoted(whom.role)}` : `GROUP ${quoted(whom.group)}`;
  const what = column === null ? "ROW FILTER" : "MASK";
  const alter = column === null ? "" : `ALTER COLUMN ${quoted(column)} `;
  return `ALTER TABLE ${table} ${alter}${expression === null ? `UNSET ${what}` : `SET ${what} (${expression})`} FOR ${from}`;
}
