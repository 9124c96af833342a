import type { ReactNode } from "react";

import "../styles/grid.css";

export interface GridColumn {
  title: ReactNode;
  isNumber?: boolean;
}

/** A table that scrolls by itself where it is wider than its place, also by the keyboard. The children are its rows. */
export function Grid({
  label,
  columns,
  className = "",
  height,
  children,
}: {
  label: string;
  columns: readonly GridColumn[];
  className?: string;
  /** A CSS length: how high it may become before it scrolls. */
  height?: string;
  children: ReactNode;
}) {
  return (
    <div className="scroll" role="region" aria-label={label} tabIndex={0} style={height ? { maxHeight: height } : undefined}>
      <table className={`grid ${className}`}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }, place) => (
              // Columns of a result have no identity but their place.
              <th key={place} scope="col" className={isNumber ? "number" : ""}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
