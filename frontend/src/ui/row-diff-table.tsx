import { cellText, isNumericType } from "../model/format";
import type { DiffRow } from "../model/row-diff";
import "../styles/row-diff.css";

const WORDS = { insert: "+ inserted", delete: "− deleted", update_before: "before", update_after: "after" } as const;

/** Rows of a diff, with changed cells coloured. */
export function RowDiffTable({
  columns,
  rows,
  label,
  shown = columns.map((_, place) => place),
  alsoChanged,
}: {
  /** Those of the table, without `change` and `row_id`. */
  columns: readonly { name: string; type: string }[];
  rows: readonly DiffRow[];
  label: string;
  /** Places of the columns that are shown. */
  shown?: readonly number[];
  /** Ids of rows that somebody else changed as well, and who. */
  alsoChanged?: { ids: ReadonlySet<unknown>; by: string };
}) {
  return (
    <div className="scroll diff" role="region" aria-label={label} tabIndex={0}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col" className="number">
              Row id
            </th>
            {shown.map((at) => (
              <th key={at} scope="col" className={isNumericType(columns[at]?.type ?? "") ? "number" : ""}>
                {columns[at]?.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place} className={row.change}>
              <th scope="row" className="nowrap">
                {WORDS[row.change]}{" "}
                {alsoChanged?.ids.has(row.rowId) && row.change !== "update_before" ? (
                  <span className="badge amber">{alsoChanged.by} too</span>
                ) : null}
              </th>
              <td className="number muted">{String(row.rowId)}</td>
              {shown.map((at) => (
                <Cell key={at} value={row.values[at]} isNumeric={isNumericType(columns[at]?.type ?? "")} isChanged={row.changed.has(at)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ value, isNumeric, isChanged }: { value: unknown; isNumeric: boolean; isChanged: boolean }) {
  return (
    <td className={`${isNumeric ? "number" : "nowrap"} ${isChanged ? "changed" : ""}`}>
      {value === null ? <span className="null">NULL</span> : cellText(value)}
    </td>
  );
}
