/** Rows of two branches side by side: which cells each side changed, and which of them clash. */
import type { ComparedRow, SidesColumn } from "../api/resources";
import { identifying } from "./row-names";

export type Snapshot = "base" | "source" | "destination";
export const SNAPSHOTS: readonly Snapshot[] = ["base", "source", "destination"];

export interface SnapshotLine {
  snapshot: Snapshot;
  /** Null where the row is not there. */
  values: readonly unknown[] | null;
  /** Places of the cells that differ from the base. */
  changed: ReadonlySet<number>;
  /** Places of the cells that both sides changed to different values. */
  clashing: ReadonlySet<number>;
}

/** What base, source and target have of the row, one line each. */
export function snapshotLines(row: ComparedRow): SnapshotLine[] {
  const clashing = clashesOf(row);
  return SNAPSHOTS.map((snapshot) => ({
    snapshot,
    values: row[snapshot],
    changed: snapshot === "base" ? new Set() : differing(row[snapshot], row.base),
    clashing: snapshot === "base" ? new Set() : clashing,
  }));
}

/** Columns whose cells of the row clash. */
export function clashingColumns(row: ComparedRow, columns: readonly SidesColumn[]): SidesColumn[] {
  const places = clashesOf(row);
  return columns.filter((_, place) => places.has(place));
}

/** Whether both sides changed a cell of the row to different values, or one took away what the other changed. */
export function clashes(row: ComparedRow): boolean {
  if (row.source_change === null || row.dest_change === null) return false;
  return row.source === null || row.destination === null || clashesOf(row).size > 0;
}

/** Places of the columns that tell what happened: those of the key, or without one those that show which row it is, and
 * those that differ in any of the rows. */
export function tellingPlaces(columns: readonly SidesColumn[], rows: readonly ComparedRow[]): number[] {
  const differ = new Set(rows.flatMap((row) => [...differing(row.source, row.destination), ...differing(row.source, row.base), ...differing(row.destination, row.base)]));
  const isWhole = rows.some((row) => SNAPSHOTS.filter((snapshot) => row[snapshot] !== null).length === 1);
  const known = columns.some((column) => column.is_key) ? [] : identifying(columns.length, rows.map((row) => row.source ?? row.destination ?? row.base ?? []));
  return columns.flatMap((column, place) => (isWhole || column.is_key || known.includes(place) || differ.has(place) ? [place] : []));
}

function clashesOf(row: ComparedRow): Set<number> {
  if (!row.source || !row.destination) return new Set();
  const apart = differing(row.source, row.destination);
  if (!row.base) return apart;
  const [mine, theirs] = [differing(row.source, row.base), differing(row.destination, row.base)];
  return new Set([...apart].filter((place) => mine.has(place) && theirs.has(place)));
}

function differing(values: readonly unknown[] | null, others: readonly unknown[] | null): Set<number> {
  const found = new Set<number>();
  if (!values || !others) return found;
  values.forEach((value, place) => {
    if (JSON.stringify(value) !== JSON.stringify(others[place])) found.add(place);
  });
  return found;
}
