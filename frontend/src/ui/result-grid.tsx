import { cellText, isNumericType } from "../model/format";
import { LongGrid } from "./grid";

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
  const heads = columns.map(({ name, type }, place) => ({
    title: (
      <>
        {name} <span className="muted">{type}</span>
      </>
    ),
    isNumber: numeric[place] ?? false,
  }));
  return (
    <LongGrid
      label={label}
      columns={heads}
      className="result"
      height={height}
      rows={rows}
      row={(row, place) => (
        // Rows of a result have no identity but their place.
        <tr key={place}>
          {row.map((value, at) => (
            <td key={at} className={numeric[at] ? "number" : "cell"}>
              <CellValue value={value} />
            </td>
          ))}
        </tr>
      )}
    />
  );
}

export function CellValue({ value }: { value: unknown }) {
  return value === null ? <span className="null">NULL</span> : cellText(value);
}
