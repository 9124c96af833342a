import { useEffect, useRef, useState } from "react";

import { CHART_KINDS, chartOf, firstChoice, numberText, type Chart, type ChartKind } from "../../model/chart";
import { count, counted, isNumericType } from "../../model/format";
import type { ResultColumn, Row } from "../../model/result-table";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";
import styles from "./result-chart.module.css";

const KIND_WORDS: Record<ChartKind, string> = { bar: "Bars", line: "Line", scatter: "Points", histogram: "Histogram" };
const HEIGHT = 300;
const LEFT = 64;
const BOTTOM = 28;
const TOP = 10;
const RIGHT = 12;
/** About the width of a letter of a label, and of what is between two labels. */
const LETTER = 8;
const LABEL_GAP = 14;

/** A picture of the rows. Loaded apart from the page. */
export default function ResultChart({ columns, rows }: { columns: readonly ResultColumn[]; rows: readonly Row[] }) {
  const first = firstChoice(columns);
  const [chosen, setChosen] = useState(first);
  if (!chosen) return <Muted as="p" className="inside">A chart needs a column of numbers. This result has none.</Muted>;
  const chart = chartOf(columns, rows, chosen);
  const numbers = columns.flatMap(({ name, type }, place) => (isNumericType(type) ? [{ name, place }] : []));
  const all = columns.map(({ name }, place) => ({ name, place }));
  const names = { x: columns[chosen.x]?.name ?? "", y: columns[chosen.y]?.name ?? "" };
  return (
    <div className="inside stack">
      <div className="row small">
        <Choice label="Chart" value={chosen.kind} options={CHART_KINDS.map((kind) => ({ value: kind, text: KIND_WORDS[kind] }))} onChange={(kind) => setChosen({ ...chosen, kind: CHART_KINDS.find((known) => known === kind) ?? "bar" })} />
        {chosen.kind === "histogram" ? null : (
          <Choice label="Across" value={String(chosen.x)} options={all.map(({ name, place }) => ({ value: String(place), text: name }))} onChange={(place) => setChosen({ ...chosen, x: Number(place) })} />
        )}
        <Choice label={chosen.kind === "histogram" ? "Values of" : "Up"} value={String(chosen.y)} options={numbers.map(({ name, place }) => ({ value: String(place), text: name }))} onChange={(place) => setChosen({ ...chosen, y: Number(place) })} />
      </div>
      <Picture chart={chart} kind={chosen.kind} label={labelOf(chosen.kind, names, chart)} />
      <Muted as="p" isSmall>
        {counted(chart.drawn, "row")} drawn
        {chart.beyond ? `; ${counted(chart.beyond, "row")} behind them ${chart.beyond === 1 ? "is" : "are"} not: sort or filter the table to choose others` : ""}
        {chart.without ? `; ${counted(chart.without, "row")} without a number left out` : ""}.
      </Muted>
    </div>
  );
}

function Choice({ label, value, options, onChange }: { label: string; value: string; options: readonly { value: string; text: string }[]; onChange: (value: string) => void }) {
  return (
    <label className="row">
      {label}
      <Select value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </Select>
    </label>
  );
}

function labelOf(kind: ChartKind, { x, y }: { x: string; y: string }, chart: Chart): string {
  const what = kind === "histogram" ? `Histogram of ${y}` : `${KIND_WORDS[kind]}: ${y} by ${x}`;
  const [least, largest] = [chart.yTicks[0], chart.yTicks.at(-1)];
  return `${what}, ${count(chart.drawn)} rows, from ${least?.label ?? numberText(0)} to ${largest?.label ?? numberText(0)}`;
}

/** Drawn at the width of its place, so that its texts keep their size. */
function Picture({ chart, kind, label }: { chart: Chart; kind: ChartKind; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const measure = () => setWidth(place.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  const inner = { width: Math.max(1, width - LEFT - RIGHT), height: HEIGHT - TOP - BOTTOM };
  const x = (at: number) => LEFT + at * inner.width;
  const y = (at: number) => TOP + (1 - at) * inner.height;
  const line = chart.marks.map((mark, place) => `${place ? "L" : "M"}${x(mark.x).toFixed(1)} ${y(mark.y).toFixed(1)}`).join("");
  const longest = Math.max(0, ...chart.xTicks.map(({ label: text }) => shortened(text).length));
  const apart = Math.max(1, Math.ceil((chart.xTicks.length * (longest * LETTER + LABEL_GAP)) / inner.width));
  return (
    <div ref={box} className={styles.chart}>
      <svg role="img" aria-label={label} width={width} height={HEIGHT}>
        {chart.yTicks.map((tick) => (
          <g key={tick.at}>
            <path className={styles.tick} d={`M${LEFT} ${y(tick.at)}H${LEFT + inner.width}`} />
            <text x={LEFT - 8} y={y(tick.at)} textAnchor="end" dominantBaseline="middle">
              {tick.label}
            </text>
          </g>
        ))}
        {chart.xTicks.map((tick, place) =>
          place % apart === 0 ? (
            <text key={`${tick.at} ${tick.label}`} x={x(tick.at)} y={HEIGHT - 8} textAnchor={anchorOf(tick.at)}>
              {shortened(tick.label)}
            </text>
          ) : null,
        )}
        {kind === "line" ? <path className={styles.line} d={line} /> : null}
        {kind === "bar" || kind === "histogram"
          ? chart.marks.map((mark, place) => (
              <rect key={place} className={styles.bar} x={x(mark.x)} y={y(mark.y + mark.height)} width={Math.max(1, mark.width * inner.width - (kind === "histogram" ? 1 : 0))} height={Math.max(0, mark.height * inner.height)}>
                <title>{mark.label}</title>
              </rect>
            ))
          : kind === "scatter" || chart.marks.length <= 100
            ? chart.marks.map((mark, place) => (
                <circle key={place} className={styles.point} cx={x(mark.x)} cy={y(mark.y)} r={3}>
                  <title>{mark.label}</title>
                </circle>
              ))
            : null}
      </svg>
    </div>
  );
}

function anchorOf(at: number): "start" | "middle" | "end" {
  if (at < 0.05) return "start";
  return at > 0.95 ? "end" : "middle";
}

function shortened(text: string): string {
  return text.length > 14 ? `${text.slice(0, 13)}…` : text;
}
