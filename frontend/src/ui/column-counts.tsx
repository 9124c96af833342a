import { shortTime, type Bin, type ExactColumn, type Frequent } from "../model/column-profile";
import { cellText, count } from "../model/format";
import { shareText } from "../model/profile";
import { Muted } from "./muted";
import { CellValue } from "./result-grid";
import { Spread } from "./spread";
import "../styles/profile.css";

/** The headings of `ExactCells`. */
export const EXACT_HEADS = [
  { title: "NULL", isNumber: true },
  { title: "Different", isNumber: true },
  { title: "Least", isNumber: true },
  { title: "Largest", isNumber: true },
  { title: "Spread" },
  { title: "Most frequent" },
];

/** Exact counts of one column as cells of a row. `axis`: the intervals of all rows that share an axis with it. */
export function ExactCells({ counts, axis, name = counts.name }: { counts: ExactColumn; axis?: readonly Bin[]; name?: string }) {
  return (
    <>
      <td className="number">
        {count(counts.nulls)} ({shareText(counts.nulls, counts.rows)})
      </td>
      <td className="number">{counts.distinct === undefined ? <Unknown /> : count(counts.distinct)}</td>
      <Bound value={counts.least} />
      <Bound value={counts.largest} />
      <td>{counts.histogram.length > 1 ? <Spread bins={counts.histogram} {...(axis ? { all: axis } : {})} name={name} /> : null}</td>
      <td>
        <TopValues top={counts.top} rows={counts.rows} />
      </td>
    </>
  );
}

/** The most frequent values, with their share of the rows. */
export function TopValues({ top, rows }: { top: readonly Frequent[]; rows: number }) {
  if (top.length === 0) return <Muted>—</Muted>;
  return (
    <ul className="top-values">
      {top.map(({ value, count: found }, place) => (
        <li key={place}>
          <span className="value" title={cellText(value)}>
            <CellValue value={value} />
          </span>{" "}
          <Muted>
            {count(found)} ({shareText(found, rows)})
          </Muted>
        </li>
      ))}
    </ul>
  );
}

export function Bound({ value }: { value: unknown }) {
  if (value === null || value === undefined) {
    return (
      <td className="number">
        <Unknown />
      </td>
    );
  }
  return (
    <td className="number bound" title={cellText(value)}>
      <CellValue value={shortTime(value)} />
    </td>
  );
}

export function Unknown() {
  return (
    <Muted>
      —<span className="visually-hidden">not known</span>
    </Muted>
  );
}
