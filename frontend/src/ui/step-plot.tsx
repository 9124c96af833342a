import { useState, type PointerEvent } from "react";

import { stepPath, ticks } from "../model/plot";
import { classes } from "./classes";
import { Muted } from "./muted";
import styles from "./plots.module.css";

export interface PlotPoint {
  value: number;
  /** What the point is of, as `v15 UPDATE`. */
  label: string;
}

/** A value that holds until it changes, over evenly spaced points; the one under the pointer is read out. */
export function StepPlot({
  title,
  points,
  format,
  formatTick = format,
  marked,
}: {
  title: string;
  points: readonly PlotPoint[];
  format: (value: number) => string;
  /** Of the round numbers on the axis. */
  formatTick?: (value: number) => string;
  /** Place of the point that the page is about. */
  marked: number;
}) {
  const [pointed, setPointed] = useState<number>();
  const values = points.map((point) => point.value);
  const scale = ticks(Math.max(...values));
  const top = scale.at(-1) ?? 0;
  const place = pointed ?? marked;
  const shown = points[place];
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect();
    const at = Math.floor(((clientX - box.left) / box.width) * points.length);
    setPointed(Math.min(points.length - 1, Math.max(0, at)));
  };
  const line = stepPath(values, top);
  return (
    <figure className={styles.plot}>
      <figcaption className="row apart small">
        <strong>{title}</strong>
        {shown ? (
          <span className="number">
            {format(shown.value)} <Muted>{shown.label}</Muted>
          </span>
        ) : null}
      </figcaption>
      <div className={styles.plotBox}>
        <div className={styles.plotScale} aria-hidden="true">
          {scale.toReversed().map((tick) => (
            <span key={tick}>{formatTick(tick)}</span>
          ))}
        </div>
        <svg
          role="img"
          aria-label={summaryOf(title, points, format)}
          viewBox="0 0 1 1"
          preserveAspectRatio="none"
          onPointerMove={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          <path className={styles.area} d={`${line}V1H0Z`} />
          {scale.map((tick) => (
            <path key={tick} className={styles.tick} d={`M0 ${top > 0 ? 1 - tick / top : 1}H1`} />
          ))}
          <path className={styles.line} d={line} />
          {place < points.length - 1 || pointed !== undefined ? (
            <rect className={styles.place} x={place / points.length} width={1 / points.length} y={0} height={1} />
          ) : null}
        </svg>
        <div className={classes("muted", styles.plotEnds)} aria-hidden="true">
          <span>{points[0]?.label}</span>
          <span>{points.length > 1 ? points.at(-1)?.label : ""}</span>
        </div>
      </div>
    </figure>
  );
}

function summaryOf(title: string, points: readonly PlotPoint[], format: (value: number) => string): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return title;
  return `${title}: ${format(first.value)} at ${first.label}, ${format(last.value)} at ${last.label}`;
}
