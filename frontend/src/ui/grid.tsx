import { useState, type ReactNode, type UIEvent } from "react";

import { WidthHandle, type Sizing } from "./column-width";
import "../styles/grid.css";

export interface GridColumn {
  title: ReactNode;
  isNumber?: boolean;
  /** Of a column that rows can be sorted by. */
  sort?: "ascending" | "descending" | "none";
}

interface GridLook {
  label: string;
  columns: readonly GridColumn[];
  className?: string | undefined;
  /** A CSS length: how high it may become before it scrolls. */
  height?: string;
  /** Where people may change the widths of columns. */
  sizing?: Sizing | undefined;
  /** Whether the first column stays when the others scroll. */
  isFrozen?: boolean;
}

/** So many rows are drawn at first, and with each look at the end. */
const ROWS_AT_ONCE = 100;
/** The end is near when it is this many screens of the grid away. */
const SCREENS_AHEAD = 2;

/** A table that scrolls by itself where it is wider than its place, also by the keyboard. The children are its rows. */
export function Grid({
  label,
  columns,
  className = "",
  height,
  sizing,
  isFrozen = false,
  rowCount,
  onEnd,
  children,
}: GridLook & {
  /** Of all rows with the head, where only some are drawn. */
  rowCount?: number | undefined;
  /** Called when the end of what is drawn comes near. */
  onEnd?: (() => void) | undefined;
  children: ReactNode;
}) {
  const look = ({ currentTarget: box }: UIEvent<HTMLElement>) => {
    if (box.scrollHeight - box.scrollTop < (1 + SCREENS_AHEAD) * box.clientHeight) onEnd?.();
  };
  const widths = sizing?.widths;
  const classes = ["grid", className, widths ? "sized" : "", isFrozen ? "frozen" : ""].filter(Boolean).join(" ");
  return (
    <div
      className="scroll"
      role="region"
      aria-label={label}
      tabIndex={0}
      style={height ? { maxHeight: height } : undefined}
      onScroll={onEnd ? look : undefined}
    >
      <table className={classes} style={widths ? { width: `${widths.reduce((sum, width) => sum + width, 0)}rem` } : undefined} aria-rowcount={rowCount}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber, sort }, place) => (
              // Columns of a result have no identity but their place.
              <th key={place} scope="col" className={isNumber ? "number" : ""} style={widths ? { width: `${widths[place] ?? 0}rem` } : undefined} aria-sort={sort}>
                {title}
                {sizing ? <WidthHandle at={place} sizing={sizing} /> : null}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A grid of very many rows: those that follow are drawn when somebody scrolls towards them. It needs a height. */
export function LongGrid<Row>({
  rows,
  row,
  ...look
}: GridLook & { height: string; rows: readonly Row[]; row: (row: Row, place: number) => ReactNode }) {
  const [drawn, setDrawn] = useState(ROWS_AT_ONCE);
  const isPart = drawn < rows.length;
  return (
    <Grid
      {...look}
      rowCount={isPart ? rows.length + 1 : undefined}
      onEnd={isPart ? () => setDrawn(drawn + ROWS_AT_ONCE) : undefined}
    >
      {rows.slice(0, drawn).map(row)}
    </Grid>
  );
}
