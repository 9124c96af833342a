import { cellText, isNumericType } from "../model/format";

/** Rows of a result: numbers to the right, missing values told apart from texts. */
export function ResultGrid({
  columns,
  rows,
  label,
  height = "60vh",
}: {
  columns: readonly { name: string; type: string }[];
  rows: readonly (readonly unknown[])[];
  label: string;
  height?: string;
}) {
  const numeric = columns.map((column) => isNumericType(column.type));
  return (
    <div className="scroll" role="region" aria-label={label} tabIndex={0} style={{ maxHeight: height }}>
      <table className="grid result">
        <thead>
          <tr>
            {columns.map((column, place) => (
              <th key={`${column.name} ${place}`} scope="col" className={numeric[place] ? "number" : ""}>
                {column.name} <span className="muted">{column.type}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            // Rows of a result have no identity but their place.
            <tr key={place}>
              {row.map((value, at) => (
                <td key={at} className={numeric[at] ? "number" : "cell"}>
                  {value === null ? <span className="null">NULL</span> : cellText(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
