import { expect, it } from "vitest";

import { writtenTable } from "./statements";

it.each([
  ["UPDATE shop.orders SET a = 1", { database: "shop", table: "orders" }],
  ["  insert into `a b`.`c``d` VALUES (1)", { database: "a b", table: "c`d" }],
  ["MERGE INTO d.t USING s ON t.id = s.id WHEN MATCHED THEN DELETE", { database: "d", table: "t" }],
  ["DELETE FROM متجر.طلبات", { database: "متجر", table: "طلبات" }],
  ["TRUNCATE TABLE d.t", { database: "d", table: "t" }],
  ["DELETE FROM other.d.t", undefined],
  ["DELETE FROM t", undefined],
  ["SELECT * FROM d.t", undefined],
  ["-- UPDATE d.t\nSELECT 1", undefined],
])("the table that is written by %s", (statement, found) => {
  expect(writtenTable(statement)).toEqual(found);
});
