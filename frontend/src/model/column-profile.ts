/** What a table holds by column, as SHOW PROFILE counts it. */
import type { ComparedDetail } from "../api/resources";
import { numberOf } from "./result-table";
import { tableName } from "./sql";

export interface Bin {
  at: number;
  count: number;
}

export interface Frequent {
  value: unknown;
  count: number;
}

export interface ExactColumn {
  name: string;
  rows: number;
  nulls: number;
  /** Undefined where values of the type are not compared. */
  distinct: number | undefined;
  least: unknown;
  largest: unknown;
  /** Centres of intervals and how many numbers lie in each; empty for other types than numbers. */
  histogram: readonly Bin[];
  /** The most frequent values first; empty where each value stands in one row, or where values have no order. */
  top: readonly Frequent[];
}

/** A time without a fraction of seconds that is zero; any other value as it is. */
export function shortTime(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/^(\d{4,}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)\.0+(?=Z?$)/, "$1") : value;
}

export function profileStatement(database: string, table: string, version: number): string {
  return `SHOW PROFILE ${tableName(database, table)} VERSION AS OF ${version}`;
}

/** The statement that counts the whole table of a comparison as one side has it; undefined where it has no such table. */
export function sideProfileStatement({ names, source_head, destination_head }: ComparedDetail, side: "source" | "destination"): string | undefined {
  const [database, table, ...more] = (names[side] ?? "").split(".");
  if (!database || !table || more.length) return undefined;
  return profileStatement(database, table, side === "source" ? source_head : destination_head);
}

export interface BothSides {
  name: string;
  before: ExactColumn | undefined;
  after: ExactColumn | undefined;
}

/** Columns of both sides by name: those of the source in its order, then those that it has not. */
export function bothSides(before: readonly ExactColumn[], after: readonly ExactColumn[]): BothSides[] {
  const names = new Set([...after, ...before].map(({ name }) => name));
  const of = (columns: readonly ExactColumn[], name: string) => columns.find((column) => column.name === name);
  return [...names].map((name) => ({ name, before: of(before, name), after: of(after, name) }));
}

/** The answer of `profileStatement` by column. */
export function exactProfile(rows: readonly (readonly unknown[])[]): ExactColumn[] {
  return rows.map(([name, , held, nulls, distinct, least, largest, bins, top]) => ({
    name: String(name),
    rows: Number(held),
    nulls: Number(nulls),
    distinct: distinct === null ? undefined : Number(distinct),
    least: least ?? undefined,
    largest: largest ?? undefined,
    histogram: binsOf(bins),
    top: topOf(top),
  }));
}

function binsOf(value: unknown): Bin[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) => {
    const { at, count } = entry as { at: unknown; count: unknown };
    const [center, found] = [numberOf(at), numberOf(count)];
    return center === undefined || found === undefined ? [] : [{ at: center, count: found }];
  });
}

function topOf(value: unknown): Frequent[] {
  if (!Array.isArray(value)) return [];
  return value.map((entry: unknown) => {
    const { value: found, count } = entry as { value: unknown; count: unknown };
    return { value: found, count: Number(count) };
  });
}
