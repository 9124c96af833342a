/** What a table holds by column: bounds from statistics of files, or counts of one read of all rows. */
import { isNumericType } from "./format";
import { numberOf } from "./result-table";
import { quoted, tableName } from "./sql";

export interface ProfiledColumn {
  name: string;
  type: string;
}

export interface Bin {
  at: number;
  count: number;
}

export interface ExactColumn {
  name: string;
  rows: number;
  nulls: number;
  /** About so many different values; undefined where the type has no order, and values are not compared. */
  distinct: number | undefined;
  least: unknown;
  largest: unknown;
  /** Centres of bins and about how many values lie around them; empty for other types than numbers. */
  histogram: readonly Bin[];
}

/** So many bins a histogram has at most. */
const BINS = 20;

/**
 * The size of a sketch of different values, as a power of two: some hundreds are counted exactly, more to about 1 %. To count
 * all exactly Spark would go through the rows once a column. `approx_count_distinct` as close as this takes five times as long.
 */
const SKETCH = 13;

/** Counts all columns in one read of the table. */
export function profileStatement(database: string, table: string, version: number | undefined, columns: readonly ProfiledColumn[]): string {
  const parts = columns.flatMap(({ name, type }) => {
    const column = quoted(name);
    const counts = [`count(${column})`];
    if (isComparable(type)) counts.push(`hll_sketch_estimate(hll_sketch_agg(CAST(${column} AS STRING), ${SKETCH}))`, `min(${column})`, `max(${column})`);
    if (isNumericType(type)) counts.push(`histogram_numeric(CAST(${column} AS DOUBLE), ${BINS})`);
    return counts;
  });
  const named = ["count(*)", ...parts].map((part, place) => `${part} AS c${place}`);
  return `SELECT\n  ${named.join(",\n  ")}\nFROM ${tableName(database, table)}${version === undefined ? "" : ` VERSION AS OF ${version}`}`;
}

/** The answer of `profileStatement` by column. */
export function exactProfile(columns: readonly ProfiledColumn[], row: readonly unknown[]): ExactColumn[] {
  const values = row[Symbol.iterator]();
  const next = (): unknown => {
    const { value, done } = values.next();
    return done ? undefined : value;
  };
  const rows = Number(next());
  return columns.map(({ name, type }) => {
    const nulls = rows - Number(next());
    const isCompared = isComparable(type);
    const distinct = isCompared ? Number(next()) : undefined;
    const [least, largest] = isCompared ? [next(), next()] : [undefined, undefined];
    return { name, rows, nulls, distinct, least, largest, histogram: isNumericType(type) ? binsOf(next()) : [] };
  });
}

function binsOf(value: unknown): Bin[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) => {
    const [x, y] = pairOf(entry);
    const [at, count] = [numberOf(x), numberOf(y)];
    return at === undefined || count === undefined ? [] : [{ at, count }];
  });
}

/** A bin as a list, or as a struct by name. */
function pairOf(entry: unknown): readonly unknown[] {
  if (Array.isArray(entry)) return entry as unknown[];
  if (typeof entry !== "object" || entry === null) return [];
  const { x, y } = entry as { x?: unknown; y?: unknown };
  return [x, y];
}

/** Plain values: they are counted apart, and have a least and a largest. */
function isComparable(type: string): boolean {
  return !/^(array|map|struct|variant|binary)\b/i.test(type);
}
