/** Lines of SHOW CHANGES (`change`, `row_id`, then the columns) with the cells that an update changed. */
export type Change = "insert" | "delete" | "update_before" | "update_after";

export interface DiffRow {
  change: Change;
  rowId: unknown;
  values: readonly unknown[];
  /** Places of the cells that differ from the other image of the row. */
  changed: ReadonlySet<number>;
}

export function diffRows(page: { rows: readonly (readonly unknown[])[] }): DiffRow[] {
  const lines = page.rows.map(([change, rowId, ...values]) => ({ change: change as Change, rowId, values }));
  const before = new Map(lines.filter((line) => line.change === "update_before").map((line) => [line.rowId, line.values]));
  const after = new Map(lines.filter((line) => line.change === "update_after").map((line) => [line.rowId, line.values]));
  return lines.map((line) => {
    const other = { update_before: after, update_after: before, insert: undefined, delete: undefined }[line.change];
    return { ...line, changed: differences(line.values, other?.get(line.rowId)) };
  });
}

function differences(values: readonly unknown[], others: readonly unknown[] | undefined): Set<number> {
  const found = new Set<number>();
  if (!others) return found;
  values.forEach((value, at) => {
    if (JSON.stringify(value) !== JSON.stringify(others[at])) found.add(at);
  });
  return found;
}
