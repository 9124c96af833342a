import type { ReactNode } from "react";

import { cellText, isNumericType } from "../model/format";
import { LongGrid } from "./grid";
import { Muted } from "./muted";

/** Rows of a result: numbers to the right, missing values distinct from texts. */
export function ResultGrid({
  columns,
  rows,
  label,
  height = "60vh",
  actions,
}: {
  columns: readonly { name: string; type: string }[];
  rows: readonly (readonly unknown[])[];
  label: string;
  height?: string;
  /** What can be done with a row, behind its values. */
  actions?: (row: readonly unknown[], place: number) => ReactNode;
}) {
  const numeric = columns.map((column) => isNumericType(column.type));
  const heads = columns.map(({ name, type }, place) => ({
    title: (
      <>
        {name} <Muted>{type}</Muted>
      </>
    ),
    isNumber: numeric[place] ?? false,
  }));
  return (
    <LongGrid
      label={label}
      columns={actions ? [...heads, { title: <span className="visually-hidden">Actions</span> }] : heads}
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
          {actions ? <td className="actions">{actions(row, place)}</td> : null}
        </tr>
      )}
    />
  );
}

export function CellValue({ value }: { value: unknown }) {
  return value === null ? <span className="null">NULL</span> : cellText(value);
}
