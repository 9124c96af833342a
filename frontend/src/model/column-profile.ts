/** What a table holds by column, as SHOW PROFILE counts it. */
import { numberOf } from "./result-table";
import { tableName } from "./sql";

export interface Bin {
  at: number;
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
}

export function profileStatement(database: string, table: string, version: number): string {
  return `SHOW PROFILE ${tableName(database, table)} VERSION AS OF ${version}`;
}

/** The answer of `profileStatement` by column. */
export function exactProfile(rows: readonly (readonly unknown[])[]): ExactColumn[] {
  return rows.map(([name, , held, nulls, distinct, least, largest, bins]) => ({
    name: String(name),
    rows: Number(held),
    nulls: Number(nulls),
    distinct: distinct === null ? undefined : Number(distinct),
    least: least ?? undefined,
    largest: largest ?? undefined,
    histogram: binsOf(bins),
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
