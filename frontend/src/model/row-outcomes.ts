/** What becomes of a row in conflict by what was decided: its values, and which cells of a side are left out. */
import type { ComparedRow, Resolution } from "../api/resources";
import { decisionOf, type Part } from "./decisions";

export interface Outcome {
  /** Null where the row goes. */
  values: readonly unknown[] | null;
  /** By side, places of the cells that lose. */
  lost: Record<"source" | "destination", ReadonlySet<number>>;
}

const WHOLE: Pick<Part, "part" | "part_key"> = { part: "object", part_key: "" };

/** Undefined while the row is open. What was decided of rows and cells the server has counted in; of the whole table it
 * counts where the table is merged. */
export function rowOutcome(made: readonly Resolution[], object: { kind: string; object_id: number }, row: ComparedRow): Outcome | undefined {
  const whole = decisionOf(made.filter((each) => each.is_current), object, WHOLE);
  if (whole) return sideOutcome(row, whole.decision);
  return row.is_conflict && !row.is_open ? outcomeOf(row, row.result) : undefined;
}

/** The row is as one side has it. */
function sideOutcome(row: ComparedRow, decision: Resolution["decision"]): Outcome | undefined {
  const side = decision === "leave_out" ? "destination" : decision;
  return side === "source" || side === "destination" ? outcomeOf(row, row[side]) : undefined;
}

function outcomeOf(row: ComparedRow, values: readonly unknown[] | null): Outcome {
  const losing = (side: readonly unknown[] | null) =>
    new Set((side ?? []).flatMap((value, place) => (isSame(value, values?.[place]) || (row.base && isSame(value, row.base[place])) ? [] : [place])));
  return { values, lost: { source: losing(row.source), destination: losing(row.destination) } };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
