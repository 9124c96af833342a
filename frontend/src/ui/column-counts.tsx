import type { ReactNode } from "react";

import { shortTime, type Bin, type ExactColumn, type Frequent } from "../model/column-profile";
import { cellText, count } from "../model/format";
import { shareText } from "../model/profile";
import { Muted } from "./muted";
import { CellValue } from "./result-grid";
import { Spread } from "./spread";
import styles from "./column-counts.module.css";

/** The headings of `exactCells`. */
export const EXACT_HEADS = [
  { title: "NULL", isNumber: true },
  { title: "Different", isNumber: true },
  { title: "Minimum", isNumber: true },
  { title: "Maximum", isNumber: true },
  { title: "Spread" },
  { title: "Most frequent" },
];

/** Exact counts of one column, one for each of `EXACT_HEADS`. `axis`: the intervals of all rows that share an axis with it. */
export function exactCells(counts: ExactColumn, axis?: readonly Bin[], name = counts.name): ReactNode[] {
  return [
    <>
      {count(counts.nulls)} ({shareText(counts.nulls, counts.rows)})
    </>,
    counts.distinct === undefined ? <Unknown /> : count(counts.distinct),
    <Bound value={counts.least} />,
    <Bound value={counts.largest} />,
    counts.histogram.length > 1 ? <Spread bins={counts.histogram} {...(axis ? { all: axis } : {})} name={name} /> : null,
    <TopValues top={counts.top} rows={counts.rows} />,
  ];
}

/** The most frequent values, with their share of the rows. */
export function TopValues({ top, rows }: { top: readonly Frequent[]; rows: number }) {
  if (top.length === 0) return <Muted>—</Muted>;
  return (
    <ul className={styles.top}>
      {top.map(({ value, count: found }, place) => (
        <li key={place}>
          <span className={styles.value} title={cellText(value)}>
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
  if (value === null || value === undefined) return <Unknown />;
  return (
    <span className={styles.bound} title={cellText(value)}>
      <CellValue value={shortTime(value)} />
    </span>
  );
}

export function Unknown() {
  return (
    <Muted>
      —<span className="visually-hidden">not known</span>
    </Muted>
  );
}
