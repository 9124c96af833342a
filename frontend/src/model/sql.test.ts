import { describe, expect, it } from "vitest";

import { catalogCreate, databaseCreate, tableCreate, text } from "./sql";

const column = (name: string, type: string, more = {}) => ({ name, type, isRequired: false, isKey: false, ...more });

describe("statements that make something", () => {
  it("take any name and any text", () => {
    expect(catalogCreate("my `lake`", "Ana's")).toBe("CREATE CATALOG `my ``lake``` COMMENT 'Ana\\'s'");
    expect(databaseCreate("sales")).toBe("CREATE DATABASE `sales`");
    expect(text("a\\b")).toBe("'a\\\\b'");
  });

  it("make a table of its columns, with a key, and leave out columns without a name", () => {
    const columns = [column("id", "BIGINT", { isKey: true, isRequired: true }), column(" tier ", "STRING", { isRequired: true }), column("", "INT"), column("note", "STRING")];
    expect(tableCreate("sales", "people", columns)).toBe(
      "CREATE TABLE `sales`.`people` (\n  `id` BIGINT,\n  `tier` STRING NOT NULL,\n  `note` STRING,\n  PRIMARY KEY (`id`)\n)",
    );
    expect(tableCreate("sales", "people", [column("", "INT"), column("a", " ")])).toBeUndefined();
  });
});
