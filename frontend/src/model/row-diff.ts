import { identifying } from "./row-names";

/** Lines of a row diff (`change`, `row_id`, then the columns) with the cells that an update changed. */
export type Change = "insert" | "delete" | "update_before" | "update_after";

export interface DiffRow {
  change: Change;
  rowId: unknown;
  /** What names the row in comparisons; "" where nothing does. */
  key: string;
  values: readonly unknown[];
  /** Places of the cells that differ from the other image of the row. */
  changed: ReadonlySet<number>;
}

export function diffRows(page: { rows: readonly (readonly unknown[])[]; keys?: readonly string[] }): DiffRow[] {
  const lines = page.rows.map(([change, rowId, ...values], place) => ({ change: change as Change, rowId, key: page.keys?.[place] ?? "", values }));
  const before = new Map(lines.filter((line) => line.change === "update_before").map((line) => [line.rowId, line.values]));
  const after = new Map(lines.filter((line) => line.change === "update_after").map((line) => [line.rowId, line.values]));
  return lines.map((line) => {
    const other = { update_before: after, update_after: before, insert: undefined, delete: undefined }[line.change];
    return { ...line, changed: differences(line.values, other?.get(line.rowId)) };
  });
}

/** Places of the columns that tell what happened: where only cells were updated, these and the key, or without one the
 * columns that show which row it is; else all. */
export function tellingColumns(columns: readonly string[], rows: readonly DiffRow[], key: readonly string[]): number[] {
  const places = columns.map((_, place) => place);
  if (rows.some(({ change }) => change === "insert" || change === "delete")) return places;
  const changed = new Set(rows.flatMap((row) => [...row.changed]));
  const named = columns.flatMap((name, place) => (key.includes(name) ? [place] : []));
  const known = new Set(named.length > 0 ? named : identifying(columns.length, rows.filter(({ change }) => change === "update_after").map(({ values }) => values)));
  return places.filter((place) => changed.has(place) || known.has(place));
}

function differences(values: readonly unknown[], others: readonly unknown[] | undefined): Set<number> {
  const found = new Set<number>();
  if (!others) return found;
  values.forEach((value, at) => {
    if (JSON.stringify(value) !== JSON.stringify(others[at])) found.add(at);
  });
  return found;
}
