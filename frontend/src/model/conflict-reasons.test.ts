import { expect, it } from "vitest";

import { finding } from "../testing/findings";
import { namedReason, violatingRows, violatorsOf } from "./conflict-reasons";

const PAIR = { source: "delays", destination: "main" };
const said = (code: string, details: Record<string, unknown>, more = {}) => namedReason(finding({ verdict: "conflict", code, details, ...more }), PAIR);

it("names what a conflict is about", () => {
  expect(said("OBJECT_DROPPED_ON_DEST", {})).toBe("main dropped the table, which delays changed: update.");
  expect(said("OBJECT_DROPPED_ON_DEST", { database_id: 3 })).toBe("main dropped the database of the table.");
  expect(said("NAME_EXISTS", { name: "people", taken_by: 19 })).toBe("main has another table of the name people.");
  expect(said("COLUMN_MISSING", { column: "note" })).toBe("main dropped the column note, which delays changed.");
  expect(said("COLUMN_TYPE_NARROWING", { column: "currency", source_type: "string", destination_type: "int" })).toBe(
    "The column currency is string on delays and int on main: int does not widen to string.",
  );
  expect(said("CHECK_DIFFERS", { constraint: "cheap" })).toBe("Both branches made the constraint cheap, with other conditions.");
});

it("counts the rows that violate a constraint, and names one of them", () => {
  const details = { constraint: "cheap", condition: "`price` < 100", side: "destination", rows: 1, example: '{"price":500}' };
  expect(said("CHECK_VIOLATED", details)).toBe("1 row of main violates the constraint cheap: price < 100. One is price = 500.");
  expect(said("CHECK_VIOLATED", { ...details, side: "both", rows: 0, example: "" })).toBe("Rows violate the constraint cheap: price < 100.");
});

it("asks for the rows that violate a constraint on the side that has them", () => {
  const of = (side: string, destination: string) =>
    violatorsOf(finding({ code: "CHECK_VIOLATED", details: { condition: "`price` < 100", side } }), { source: "shop.prices", destination });
  expect(of("destination", "shop.costs")).toEqual({ side: "destination", query: "SELECT * FROM `shop`.`costs` WHERE NOT (`price` < 100)" });
  expect(of("both", "shop.costs")).toBeUndefined();
  expect(of("destination", "shop.a.b")).toBeUndefined();
  expect(violatorsOf(finding({ code: "CHECK_DIFFERS" }), { source: "a.b", destination: "a.b" })).toBeUndefined();
});

it("shows the first rows that violate a constraint, in the columns that name them", () => {
  const examples = ['{"id":1,"price":500}', '{"id":2}', "no row"];
  expect(violatingRows(finding({ code: "CHECK_VIOLATED", details: { rows: 7, examples } }))).toEqual({ columns: ["id", "price"], rows: [[1, 500], [2, null]], count: 7 });
  expect(violatingRows(finding({ code: "CHECK_VIOLATED", details: { rows: 7 } }))).toBeUndefined();
  expect(violatingRows(finding({ code: "CHECK_DIFFERS", details: { rows: 7, examples } }))).toBeUndefined();
});

it("says nothing of its own without the names", () => {
  expect(["COLUMN_MISSING", "NAME_EXISTS", "CHECK_VIOLATED", "UNSET_SAME_PROPERTY"].map((code) => said(code, {}))).toEqual(Array(4).fill(undefined));
});
