import { isNumericType } from "../model/format";
import type { DiffRow } from "../model/row-diff";
import { LongGrid } from "./grid";
import { CellValue } from "./result-grid";
import "../styles/row-diff.css";

const WORDS = { insert: "+ inserted", delete: "− deleted", update_before: "before", update_after: "after" } as const;

/** The choice between the columns that tell what changed and all. */
export function AllColumns({ count, isWhole, onChange }: { count: number; isWhole: boolean; onChange: (isWhole: boolean) => void }) {
  return (
    <label className="row">
      <input type="checkbox" checked={isWhole} onChange={(event) => onChange(event.target.checked)} />
      all {count} columns
    </label>
  );
}

/** Rows of a diff, with changed cells coloured. */
export function RowDiffTable({
  columns,
  rows,
  label,
  shown = columns.map((_, place) => place),
  alsoChanged,
  hasIds = true,
  height = "60vh",
}: {
  /** Those of the table, without `change` and `row_id`. */
  columns: readonly { name: string; type: string }[];
  rows: readonly DiffRow[];
  label: string;
  /** Places of the columns that are shown. */
  shown?: readonly number[];
  /** Ids of rows that somebody else changed as well, and who. */
  alsoChanged?: { ids: ReadonlySet<unknown>; by: string };
  /** Whether the ids of rows are shown. */
  hasIds?: boolean;
  height?: string;
}) {
  const numeric = columns.map((column) => isNumericType(column.type));
  const heads = [
    { title: "Change" },
    ...(hasIds ? [{ title: "Row id", isNumber: true }] : []),
    ...shown.map((at) => ({ title: columns[at]?.name, isNumber: numeric[at] ?? false })),
  ];
  return (
    <LongGrid
      label={label}
      columns={heads}
      className="diff"
      height={height}
      rows={rows}
      row={(row, place) => (
        <tr key={place} className={row.change}>
          <th scope="row" className="nowrap">
            {WORDS[row.change]}{" "}
            {alsoChanged?.ids.has(row.rowId) && row.change !== "update_before" ? (
              <span className="badge amber">{alsoChanged.by} too</span>
            ) : null}
          </th>
          {hasIds ? <td className="number muted">{String(row.rowId)}</td> : null}
          {shown.map((at) => (
            <td key={at} className={`${numeric[at] ? "number" : "nowrap"} ${row.changed.has(at) ? "changed" : ""}`}>
              <CellValue value={row.values[at]} />
            </td>
          ))}
        </tr>
      )}
    />
  );
}
