/** Charts of a result: which rows become which marks, in a box of width 1 and height 1 with its origin at the lower left. */
import { cellText, isNumericType } from "./format";
import { numberOf, type ResultColumn, type Row } from "./result-table";

export const CHART_KINDS = ["bar", "line", "scatter", "histogram"] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

export interface ChartChoice {
  kind: ChartKind;
  /** Places of columns; a histogram counts `y`. */
  x: number;
  y: number;
}

export interface Tick {
  at: number;
  label: string;
}

export interface ChartMark {
  x: number;
  y: number;
  /** Of a bar, from its left and lower edge. */
  width: number;
  height: number;
  label: string;
}

export interface Chart {
  marks: readonly ChartMark[];
  xTicks: readonly Tick[];
  yTicks: readonly Tick[];
  /** Rows that are drawn, and rows that could not be: without a number. */
  drawn: number;
  without: number;
  /** Rows behind the most that are drawn. */
  beyond: number;
}

/** So many marks can still be distinguished. */
export const MOST: Record<ChartKind, number> = { bar: 60, line: 5000, scatter: 5000, histogram: Infinity };
const MOST_BINS = 30;
/** So many have room on a wide page; the picture leaves out those that have none. */
const MOST_LABELS = 24;

/** What a result begins with: its first column that has no numbers over its first that has. */
export function firstChoice(columns: readonly ResultColumn[]): ChartChoice | undefined {
  const numbers = columns.flatMap(({ type }, place) => (isNumericType(type) ? [place] : []));
  const [y] = numbers;
  if (y === undefined) return undefined;
  const other = columns.findIndex(({ type }) => !isNumericType(type));
  const second = numbers[1];
  if (other >= 0) return { kind: isMoment(columns[other]) ? "line" : "bar", x: other, y };
  return second === undefined ? { kind: "histogram", x: y, y } : { kind: "scatter", x: y, y: second };
}

export function chartOf(columns: readonly ResultColumn[], rows: readonly Row[], choice: ChartChoice): Chart {
  const numbers = rows.flatMap((row) => {
    const value = numberOf(row[choice.y]);
    return value === undefined || !Number.isFinite(value) ? [] : [{ row, value }];
  });
  const without = rows.length - numbers.length;
  if (choice.kind === "histogram") return { ...histogram(numbers.map(({ value }) => value)), without, beyond: 0 };
  const drawn = numbers.slice(0, MOST[choice.kind]);
  const beyond = numbers.length - drawn.length;
  const column = columns[choice.x];
  const shown = choice.kind === "bar" ? bars(drawn, choice) : points(drawn, choice, column);
  return { ...shown, without: without + drawn.length - shown.drawn, beyond };
}

type Numbered = readonly { row: Row; value: number }[];
type Drawn = Pick<Chart, "marks" | "xTicks" | "yTicks" | "drawn">;

function bars(found: Numbered, { x }: ChartChoice): Drawn {
  const scale = scaleOf([0, ...found.map(({ value }) => value)]);
  const zero = scale.place(0);
  const width = 1 / Math.max(1, found.length);
  const marks = found.map(({ row, value }, place) => {
    const top = scale.place(value);
    return { x: (place + 0.1) * width, width: 0.8 * width, y: Math.min(zero, top), height: Math.abs(top - zero), label: `${cellText(row[x])}: ${numberText(value)}` };
  });
  const every = Math.ceil(found.length / MOST_LABELS);
  const xTicks = found.flatMap(({ row }, place) => (place % every === 0 ? [{ at: (place + 0.5) * width, label: cellText(row[x]) }] : []));
  return { marks, xTicks, yTicks: scale.ticks, drawn: found.length };
}

/** Over numbers and moments at their place; over anything else one after the other. */
function points(found: Numbered, { kind, x }: ChartChoice, column: ResultColumn | undefined): Drawn {
  const isNumber = column !== undefined && isNumericType(column.type);
  const isTime = isMoment(column);
  const placed = found.flatMap(({ row, value }, place) => {
    const at = isNumber ? numberOf(row[x]) : isTime ? momentOf(row[x]) : place;
    return at === undefined || !Number.isFinite(at) ? [] : [{ row, value, at }];
  });
  if (kind === "line") placed.sort((one, other) => one.at - other.at);
  const across = scaleOf(placed.map(({ at }) => at), isTime ? momentText : undefined);
  const up = scaleOf(placed.map(({ value }) => value));
  const marks = placed.map(({ row, value, at }) => ({ x: across.place(at), y: up.place(value), width: 0, height: 0, label: `${cellText(row[x])}: ${numberText(value)}` }));
  const every = Math.ceil(placed.length / MOST_LABELS);
  const named = placed.flatMap(({ row, at }, place) => (place % every === 0 ? [{ at: across.place(at), label: cellText(row[x]) }] : []));
  return { marks, xTicks: isNumber || isTime ? across.ticks : named, yTicks: up.ticks, drawn: placed.length };
}

function histogram(values: readonly number[]): Drawn {
  const across = scaleOf(values);
  const bins = Math.max(1, Math.min(MOST_BINS, Math.ceil(Math.sqrt(values.length))));
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor(across.place(value) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const up = scaleOf([0, ...counts]);
  const edge = (place: number) => numberText(across.least + ((across.largest - across.least) * place) / bins);
  const marks = counts.map((found, place) => ({ x: place / bins, width: 1 / bins, y: 0, height: up.place(found), label: `${edge(place)} to ${edge(place + 1)}: ${numberText(found)}` }));
  return { marks, xTicks: across.ticks, yTicks: up.ticks, drawn: values.length };
}

interface Scale {
  least: number;
  largest: number;
  place: (value: number) => number;
  ticks: readonly Tick[];
}

/** From a round number below the least value to one above the largest. */
function scaleOf(values: readonly number[], text: (value: number) => string = numberText): Scale {
  const lowest = values.reduce((least, value) => Math.min(least, value), Infinity);
  const highest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const isEmpty = values.length === 0;
  const step = stepOf(isEmpty ? 1 : highest - lowest || Math.abs(highest) || 1);
  const least = isEmpty ? 0 : Math.floor(lowest / step) * step;
  const top = isEmpty ? 1 : Math.ceil(highest / step) * step;
  const largest = top === least ? least + step : top;
  const place = (value: number) => (value - least) / (largest - least);
  const count = Math.round((largest - least) / step);
  const ticks = Array.from({ length: count + 1 }, (_, at) => ({ at: at / count, label: text(least + at * step) }));
  return { least, largest, place, ticks };
}

/** 1, 2 or 5 times a power of ten: about five of them make the span. */
function stepOf(span: number): number {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
}

const NUMBER = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 6 });
const SHORT = new Intl.NumberFormat("en-GB", { notation: "compact", maximumSignificantDigits: 4 });

export function numberText(value: number): string {
  return Math.abs(value) >= 1e6 ? SHORT.format(value) : NUMBER.format(value);
}

function isMoment(column: ResultColumn | undefined): boolean {
  return column !== undefined && /^(date|timestamp)/i.test(column.type);
}

function momentOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const moment = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(value) || !value.includes(":") ? value : `${value.replace(" ", "T")}Z`);
  return Number.isNaN(moment) ? undefined : moment;
}

function momentText(value: number): string {
  const text = new Date(value).toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 16).replace("T", " ");
}
