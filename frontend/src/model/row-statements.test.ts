import { describe, expect, it } from "vitest";

import type { Column } from "../api/resources";
import { givenColumns, isTypable, literal, namingColumns, rowDelete, rowInsert, rowUpdate } from "./row-statements";

const column = (name: string, type: string, more: Partial<Column> = {}): Column => ({
  id: name.length, name, type, nullable: true, default: null, comment: null, key_position: null, partition_position: null, ...more,
} as Column);
const AT = { database: "sales", table: "my `orders`" };
const KEYED = [column("id", "bigint", { key_position: 0, nullable: false }), column("who", "string"), column("n", "decimal(10,2)", { default: "0" })];

describe("literals", () => {
  it.each([
    ["7", "bigint", "7"],
    ["7.5", "int", undefined],
    ["12.50", "decimal(10,2)", "CAST('12.50' AS DECIMAL(10,2))"],
    ["1e3", "decimal(10,2)", undefined],
    ["1e+21", "double", "CAST('1e+21' AS DOUBLE)"],
    ["NaN", "float", "CAST('NaN' AS FLOAT)"],
    ["True", "boolean", "TRUE"],
    ["yes", "boolean", undefined],
    ["2024-02-29", "date", "DATE '2024-02-29'"],
    ["29.2.2024", "date", undefined],
    ["2024-02-29T10:00:00Z", "timestamp", "TIMESTAMP '2024-02-29T10:00:00Z'"],
    [" it's \\ ", "string", "' it\\'s \\\\ '"],
    ["1); DROP TABLE x --", "int", undefined],
    ["[1]", "array<int>", undefined],
  ])("%s as %s", (typed, type, expected) => {
    expect(literal(typed, type)).toBe(expected);
  });

  it("writes NULL of every type", () => {
    expect(literal(null, "date")).toBe("NULL");
  });
});

it("names a row by its key, and changes what differs", () => {
  const row = { id: "9007199254740993", who: null, n: "1.00" };
  expect(rowUpdate(AT, KEYED, row, { who: "Eve", n: "1.00" })).toBe("UPDATE `sales`.`my ``orders```\nSET `who` = 'Eve'\nWHERE `id` = 9007199254740993");
  expect(rowUpdate(AT, KEYED, row, { n: "1.00" })).toBeUndefined();
  expect(rowUpdate(AT, KEYED, row, { n: "much" })).toBeUndefined();
  expect(rowDelete(AT, KEYED, row)).toBe("DELETE FROM `sales`.`my ``orders```\nWHERE `id` = 9007199254740993");
});

it("names a row without a key by all its values, NULL among them", () => {
  const columns = [column("who", "string"), column("day", "date")];
  expect(rowDelete(AT, columns, { who: "Eve", day: null })).toBe("DELETE FROM `sales`.`my ``orders```\nWHERE `who` = 'Eve' AND `day` IS NULL");
  expect(namingColumns([...columns, column("tags", "array<string>")])).toBeUndefined();
  expect(rowDelete(AT, [...columns, column("tags", "array<string>")], { who: "Eve", day: null, tags: [] })).toBeUndefined();
  expect(isTypable(column("tags", "array<string>"))).toBe(false);
});

it("adds a row with the defaults of fields that were left alone", () => {
  expect(rowInsert(AT, KEYED, { id: "5", who: "Eve" })).toBe("INSERT INTO `sales`.`my ``orders``` (`id`, `who`)\nVALUES (5, 'Eve')");
  expect(rowInsert(AT, KEYED, { id: "5", n: null })).toContain("VALUES (5, NULL)");
  expect(rowInsert(AT, KEYED, { who: "Eve" })).toBeUndefined();
  expect(rowInsert(AT, [column("who", "string")], {})).toBeUndefined();
});

it("asks no value of a column that the table fills", () => {
  const columns = [column("id", "bigint", { id: 1, nullable: false }), column("who", "string", { id: 2 })];
  const constraints = { "generated column 1": "`id` AS IDENTITY ALWAYS START WITH 1 INCREMENT BY 1" };
  const given = givenColumns({ columns, constraints });
  expect(given.map(({ name }) => name)).toEqual(["who"]);
  expect(rowInsert(AT, columns, { who: "Eve" })).toBeUndefined();
  expect(rowInsert(AT, given, { who: "Eve" })).toBe("INSERT INTO `sales`.`my ``orders``` (`who`)\nVALUES ('Eve')");
});
