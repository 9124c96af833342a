import { describe, expect, it } from "vitest";

import { commentOn, databaseDrop, databaseRename, databaseUndrop, tableUndrop } from "./sql";
import { columnAdd, columnAlter, partitionChange, propertySet, propertyUnset, tableDrop, tableRename, type AddedColumn } from "./table-changes";

const T = { database: "sales", table: "or`ders" };
const AT = "ALTER TABLE `sales`.`or``ders` ";
const PLAIN: AddedColumn = { name: "tier", type: "STRING", comment: "", default: "", isRequired: false, after: "" };

describe("statements that alter a table", () => {
  it("rename it, move it, or both", () => {
    expect(tableRename(T, { database: "sales", table: "x y" })).toBe(`${AT}RENAME TO \`x y\``);
    expect(tableRename(T, { database: "old", table: "or`ders" })).toBe(`${AT}RENAME TO \`old\`.\`or\`\`ders\``);
    expect(tableDrop(T)).toBe("DROP TABLE `sales`.`or``ders`");
  });

  it("add a column with what was filled in", () => {
    expect(columnAdd(T, PLAIN)).toBe(`${AT}ADD COLUMN \`tier\` STRING`);
    expect(columnAdd(T, { ...PLAIN, default: "'new'", isRequired: true, comment: "Ana's", after: null })).toBe(
      `${AT}ADD COLUMN \`tier\` STRING NOT NULL DEFAULT 'new' COMMENT 'Ana\\'s' FIRST`,
    );
    expect(columnAdd(T, { ...PLAIN, after: "id" })).toBe(`${AT}ADD COLUMN \`tier\` STRING AFTER \`id\``);
  });

  it("alter a column in one respect", () => {
    expect(columnAlter(T, "a", { kind: "rename", name: "b" })).toBe(`${AT}RENAME COLUMN \`a\` TO \`b\``);
    expect(columnAlter(T, "a", { kind: "type", type: "BIGINT" })).toBe(`${AT}ALTER COLUMN \`a\` TYPE BIGINT`);
    expect(columnAlter(T, "a", { kind: "comment", comment: "" })).toBe(`${AT}ALTER COLUMN \`a\` COMMENT ''`);
    expect(columnAlter(T, "a", { kind: "nulls", isRequired: true })).toBe(`${AT}ALTER COLUMN \`a\` SET NOT NULL`);
    expect(columnAlter(T, "a", { kind: "nulls", isRequired: false })).toBe(`${AT}ALTER COLUMN \`a\` DROP NOT NULL`);
    expect(columnAlter(T, "a", { kind: "default", default: "0" })).toBe(`${AT}ALTER COLUMN \`a\` SET DEFAULT 0`);
    expect(columnAlter(T, "a", { kind: "default", default: "" })).toBe(`${AT}ALTER COLUMN \`a\` DROP DEFAULT`);
    expect(columnAlter(T, "a", { kind: "move", after: null })).toBe(`${AT}ALTER COLUMN \`a\` FIRST`);
    expect(columnAlter(T, "a", { kind: "move", after: "b" })).toBe(`${AT}ALTER COLUMN \`a\` AFTER \`b\``);
    expect(columnAlter(T, "a", { kind: "drop" })).toBe(`${AT}DROP COLUMN \`a\``);
  });

  it("are none while nothing is said", () => {
    expect(columnAlter(T, "a", { kind: "rename", name: "a" })).toBeUndefined();
    expect(columnAlter(T, "a", { kind: "type", type: "" })).toBeUndefined();
    expect(columnAlter(T, "a", { kind: "move", after: "" })).toBeUndefined();
  });

  it("set properties and take them away", () => {
    expect(propertySet(T, "team", "it's")).toBe(`${AT}SET TBLPROPERTIES ('team' = 'it\\'s')`);
    expect(propertyUnset(T, "team")).toBe(`${AT}UNSET TBLPROPERTIES ('team')`);
  });

  it("add a partition by all of its values, and drop one by some", () => {
    expect(partitionChange(T, "ADD", [["y", "2014"], ["m", "1"]])).toBe(`${AT}ADD PARTITION (\`y\` = '2014', \`m\` = '1')`);
    expect(partitionChange(T, "ADD", [["y", "2014"], ["m", ""]])).toBeUndefined();
    expect(partitionChange(T, "DROP", [["y", "2014"], ["m", ""]])).toBe(`${AT}DROP PARTITION (\`y\` = '2014')`);
    expect(partitionChange(T, "DROP", [["y", ""]])).toBeUndefined();
  });

  it("bring back what was dropped, by its id", () => {
    expect(tableUndrop("d", "t", 7)).toBe("UNDROP TABLE `d`.`t` WITH ID '7'");
    expect(tableUndrop("d", "t", 7, "u")).toBe("UNDROP TABLE `d`.`t` WITH ID '7' AS `u`");
    expect(databaseUndrop("d", 3, "e")).toBe("UNDROP DATABASE `d` WITH ID '3' AS `e`");
  });

  it("change a database", () => {
    expect(databaseRename("d", "e")).toBe("ALTER DATABASE `d` RENAME TO `e`");
    expect([databaseDrop("d", false), databaseDrop("d", true)]).toEqual(["DROP DATABASE `d`", "DROP DATABASE `d` CASCADE"]);
    expect(commentOn("DATABASE", "`d`", "")).toBe("COMMENT ON DATABASE `d` IS NULL");
    expect(commentOn("TABLE", "`d`.`t`", "x")).toBe("COMMENT ON TABLE `d`.`t` IS 'x'");
  });
});
