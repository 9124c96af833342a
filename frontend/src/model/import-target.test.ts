import { describe, expect, it } from "vitest";

import type { Column, ImportColumn } from "../api/resources";
import { columnFor, columnsMissing, columnsUnknown, tableNameOf } from "./import-target";

function ofFile(name: string, include = true): ImportColumn {
  return { source: name, name, type: "bigint", include, inferred_type: "bigint", misfit: null };
}
function ofTable(name: string, more: Partial<Column> = {}): Column {
  return { id: 1, name, type: "int", nullable: true, default: null, comment: null, position: 0, key_position: null, partition_position: null, ...more };
}

describe("the name of a new table", () => {
  it("is that of the file, as one writes names in SQL", () => {
    expect(tableNameOf("Delays 2014 (final).csv")).toBe("delays_2014_final");
    expect(tableNameOf("räume.v2.parquet")).toBe("räume_v2");
    expect(tableNameOf("???.json")).toBe("imported");
  });
});

describe("a file against a table", () => {
  const table = [ofTable("Id", { nullable: false }), ofTable("name"), ofTable("at", { nullable: false, default: "now()" })];

  it("finds its columns by name, whatever their case", () => {
    expect(columnFor(ofFile("ID"), table)?.name).toBe("Id");
    expect(columnsUnknown([ofFile("ID"), ofFile("nmae"), ofFile("extra", false)], table)).toEqual(["nmae"]);
  });
  it("misses only what can be neither null nor a default", () => {
    expect(columnsMissing([ofFile("name")], table)).toEqual(["Id"]);
    expect(columnsMissing([ofFile("id", false)], table)).toEqual(["Id"]);
    expect(columnsMissing([ofFile("id")], table)).toEqual([]);
  });
});
