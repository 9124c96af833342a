/** What becomes of a row in conflict by what was decided: its values, and which cells of a side are left out. */
import type { ComparedRow, Resolution, SidesColumn } from "../api/resources";
import { cellPart, decisionOf, rowPart, type Part } from "./decisions";

export interface Outcome {
  /** Null where the row goes. */
  values: readonly unknown[] | null;
  /** By side, places of the cells that lose. */
  lost: Record<"source" | "destination", ReadonlySet<number>>;
}

const ALL: Pick<Part, "part" | "part_key"> = { part: "rows", part_key: "" };
const WHOLE: Pick<Part, "part" | "part_key"> = { part: "object", part_key: "" };

/** Undefined while the row is open, and where only the server can tell: a cell goes before its row, a row before the
 * rule of all. */
export function rowOutcome(made: readonly Resolution[], object: { kind: string; object_id: number }, row: ComparedRow, columns: readonly SidesColumn[]): Outcome | undefined {
  if (row.is_open) return undefined;
  const current = made.filter((each) => each.is_current);
  const find = (part: Pick<Part, "part" | "part_key">) => decisionOf(current, object, part);
  const whole = find(WHOLE);
  const ofRow = find(rowPart(row)) ?? find(ALL);
  if (whole || !row.source || !row.destination) return sideOutcome(row, whole ?? ofRow);
  const lost = { source: new Set<number>(), destination: new Set<number>() };
  const values: unknown[] = [];
  for (const [place, column] of columns.entries()) {
    const sides = { source: row.source[place], destination: row.destination[place] };
    const taken = isSame(sides.source, sides.destination) ? "destination" : sideOf(row, place);
    if (taken) {
      values.push(sides[taken]);
      continue;
    }
    const decision = find(cellPart(row, column)) ?? ofRow;
    const value = decision && decidedValue(decision, column, sides);
    if (!value) return undefined;
    values.push(value.is);
    for (const side of ["source", "destination"] as const) if (!isSame(sides[side], value.is)) lost[side].add(place);
  }
  return { values, lost };
}

/** The row is as one side has it. */
function sideOutcome(row: ComparedRow, decision: Resolution | undefined): Outcome | undefined {
  const lost = { source: new Set<number>(), destination: new Set<number>() };
  const side = decision?.decision === "leave_out" ? "destination" : decision?.decision;
  if (side !== "source" && side !== "destination") return undefined;
  const other = side === "source" ? "destination" : "source";
  row[other]?.forEach((value, place) => {
    if (!isSame(value, row[side]?.[place])) lost[other].add(place);
  });
  return { values: row[side], lost };
}

/** The side that alone changed a cell; undefined where both did. */
function sideOf(row: ComparedRow, place: number): "source" | "destination" | undefined {
  if (!row.base) return undefined;
  if (isSame(row.source?.[place], row.base[place])) return "destination";
  return isSame(row.destination?.[place], row.base[place]) ? "source" : undefined;
}

function decidedValue(made: Resolution, column: SidesColumn, sides: Record<"source" | "destination", unknown>): { is: unknown } | undefined {
  switch (made.decision) {
    case "source":
      return { is: sides.source };
    case "destination":
    case "leave_out":
      return { is: sides.destination };
    case "edited":
      return editedValue(made, column);
    default:
      return undefined;
  }
}

function editedValue(made: Resolution, column: SidesColumn): { is: unknown } | undefined {
  try {
    const given = JSON.parse(made.value) as unknown;
    if (made.part === "cell") return { is: given };
    const named = given as Record<string, unknown>;
    return column.name in named ? { is: named[column.name] } : undefined;
  } catch {
    return undefined;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
