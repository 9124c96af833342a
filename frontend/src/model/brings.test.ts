import { describe, expect, it } from "vitest";

import { BRINGS_IN_ALL, BRINGS_NOTHING, COMPARED, COMPARISON } from "../testing/server";
import type { Comparison } from "../api/resources";
import { bringsSentence, signsOf, squaresOf } from "./brings";

function summary(brings: Partial<Comparison["brings"]>, more: Partial<Comparison> = {}): Comparison {
  return { ...(COMPARISON as unknown as Comparison), brings: { ...BRINGS_IN_ALL, ...brings }, ...more };
}
const ONE = { counts: { ...COMPARISON.counts, objects: 1, decided: 0 }, results: [COMPARED[0] as unknown as Comparison["results"][number]] };

describe("the first line of a comparison", () => {
  it("names rows, columns and the one table that gets them", () => {
    expect(bringsSentence(summary({ rows_updated: 610, columns_added: 1, tables_changed: 1 }, ONE))).toBe(
      "delays would bring 610 updated rows and 1 new column to flights.flights.",
    );
  });

  it("counts the tables where there are several, and says where a number is a bound", () => {
    expect(bringsSentence(summary({ rows_updated: 5, rows_inserted: 1, rows_are_exact: false, tables_changed: 3 }))).toBe(
      "delays would bring up to 5 updated rows and 1 new row to 3 tables of main.",
    );
  });

  it("tells new and dropped tables, and settings", () => {
    expect(bringsSentence(summary({ tables_created: 2, rows_inserted: 3, tables_dropped: 1 }))).toBe(
      "delays would bring 3 new rows and 2 new tables to main and would drop 1 table.",
    );
    expect(bringsSentence(summary({ tables_changed: 1 }, ONE))).toBe("delays would change the settings of flights.flights.");
    expect(bringsSentence(summary({ databases_dropped: 1 }))).toBe("delays would drop 1 database.");
  });

  it("says what a change of one object is, where neither rows nor columns change", () => {
    const by = (...source_ops: string[]) => summary({ tables_changed: 1 }, { ...ONE, results: ONE.results.map((result) => ({ ...result, source_ops })) });
    expect(bringsSentence(by("rename"))).toBe("delays would rename a table to flights.flights.");
    expect(bringsSentence(by("rename"), { isMerged: true })).toBe("delays renamed a table to flights.flights.");
    expect(bringsSentence(by("partition"))).toBe("delays would change the partitions of flights.flights.");
    expect(bringsSentence(by("rename", "properties"))).toBe("delays would change the settings of flights.flights.");
  });

  it("says that the target is up to date", () => {
    expect(bringsSentence(summary({}, { is_empty: true }))).toBe("main has everything of delays.");
    expect(bringsSentence(summary({}))).toBe("delays would change nothing on main.");
  });

  it("says of what was merged that it brought it", () => {
    expect(bringsSentence(summary({ rows_updated: 1, tables_changed: 1, tables_dropped: 1 }, ONE), { isMerged: true })).toBe(
      "delays brought 1 updated row to flights.flights and dropped 1 table.",
    );
  });
});

describe("the signs of an object", () => {
  const brings = { ...BRINGS_NOTHING, rows_updated: 610, columns_added: 1 };

  it("say all three numbers of rows, and columns; in short those that are", () => {
    expect(signsOf(brings).map(({ text }) => text)).toEqual(["+0", "~610", "−0", "+1 column"]);
    expect(signsOf({ ...brings, rows_are_exact: false }, { short: true }).map(({ text }) => text)).toEqual(["≤", "~610", "+1 col"]);
  });

  it("share five squares out, and leave none out that happened", () => {
    expect(squaresOf(brings)).toEqual(Array.from({ length: 5 }, () => "update"));
    expect(squaresOf({ ...BRINGS_NOTHING, rows_inserted: 1, rows_updated: 998, rows_deleted: 1 })).toEqual(["insert", "update", "update", "update", "delete"]);
    expect(squaresOf(BRINGS_NOTHING)).toEqual([]);
  });
});
