/** What a conflict is about, in one sentence with the names that the finding has. */
import type { ComparedDetail, Finding } from "../api/resources";
import { keyText } from "./decisions";
import { counted } from "./format";
import { tableName } from "./sql";

export interface Branches {
  source: string;
  destination: string;
}

type Side = "source" | "destination";
/** What the object is called on both sides. */
type SideNames = Pick<ComparedDetail["names"], Side>;

type Reason = (finding: Finding, pair: Branches) => string | undefined;

const REASONS: Record<string, Reason> = {
  OBJECT_DROPPED_ON_DEST: ({ kind, details, source_op }, { source, destination }) =>
    typeof details.database_id === "number"
      ? `${destination} dropped the database of the table.`
      : `${destination} dropped the ${kind}, which ${source} changed${source_op ? `: ${source_op}` : ""}.`,
  NAME_EXISTS: ({ kind, details: { name } }, { destination }) => (typeof name === "string" ? `${destination} has another ${kind} of the name ${name}.` : undefined),
  COLUMN_MISSING: ({ details: { column } }, { source, destination }) =>
    typeof column === "string" ? `${destination} dropped the column ${column}, which ${source} changed.` : undefined,
  COLUMN_TYPE_NARROWING: ({ details: { column, source_type, destination_type } }, { source, destination }) =>
    typeof column === "string" && typeof source_type === "string" && typeof destination_type === "string"
      ? `The column ${column} is ${source_type} on ${source} and ${destination_type} on ${destination}: ${destination_type} does not widen to ${source_type}.`
      : undefined,
  CHECK_DIFFERS: ({ details: { constraint } }) =>
    typeof constraint === "string" ? `Both branches made the constraint ${constraint}, with other conditions.` : undefined,
  CHECK_VIOLATED: violated,
};

/** Undefined where the finding says no more than its code. */
export function namedReason(finding: Finding, pair: Branches): string | undefined {
  return REASONS[finding.code]?.(finding, pair);
}

/** `1 row of main violates the constraint cheap: price < 100. One is price = 500.` */
function violated({ details: { constraint, condition, side, rows, example } }: Finding, { source, destination }: Branches): string | undefined {
  if (typeof constraint !== "string" || typeof condition !== "string") return undefined;
  const where = side === "source" ? ` of ${source}` : side === "destination" ? ` of ${destination}` : "";
  const number = Number(rows ?? 0);
  const who = number > 0 ? `${counted(number, "row")}${where} ${number === 1 ? "violates" : "violate"}` : `Rows${where} violate`;
  const one = typeof example === "string" && example !== "" ? ` One is ${keyText(example)}.` : "";
  return `${who} the constraint ${constraint}: ${condition.replaceAll("`", "")}.${one}`;
}

/** The first rows that violate a constraint, in the columns by which the server names them, of how many. */
export function violatingRows({ code, details }: Finding): { columns: string[]; rows: unknown[][]; count: number } | undefined {
  const { examples, rows } = details;
  if (code !== "CHECK_VIOLATED" || !Array.isArray(examples)) return undefined;
  const named = examples.map(rowNamed).filter((row) => row !== undefined);
  const columns = [...new Set(named.flatMap((row) => Object.keys(row)))];
  return named.length === 0 ? undefined : { columns, rows: named.map((row) => columns.map((column) => row[column] ?? null)), count: Number(rows) };
}

function rowNamed(text: unknown): Record<string, unknown> | undefined {
  try {
    const row: unknown = JSON.parse(String(text));
    return row !== null && typeof row === "object" ? (row as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The query for the rows that violate the constraint, and the side that has them. Undefined where both have some, or the
 * name of the table has a point in a part. */
export function violatorsOf({ code, details }: Finding, names: SideNames): { side: Side; query: string } | undefined {
  const { side, condition } = details;
  if (code !== "CHECK_VIOLATED" || typeof condition !== "string" || (side !== "source" && side !== "destination")) return undefined;
  const [database, table, ...more] = (names[side] ?? "").split(".");
  if (!database || !table || more.length) return undefined;
  return { side, query: `SELECT * FROM ${tableName(database, table)} WHERE NOT (${condition})` };
}
