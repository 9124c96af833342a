import { describe, expect, it } from "vitest";

import { errorRange, tablesNamed } from "./sql-places";

describe("the place of an error", () => {
  const text = "SELECT *\nFORM t";
  it("covers the word it is near to", () => {
    expect(errorRange(text, { line: 2, column: 1, near: "FORM" })).toEqual({ from: 9, to: 13 });
  });
  it("is one character when the word is not there", () => {
    expect(errorRange(text, { line: 1, column: 8, near: "x" })).toEqual({ from: 7, to: 8 });
  });
  it("is the last character when the statement ends too early", () => {
    expect(errorRange(text, { line: 9, column: 1, near: "" })).toEqual({ from: 14, to: 15 });
    expect(errorRange("", { line: 1, column: 1 })).toEqual({ from: 0, to: 0 });
  });
  it("is nowhere for an error without a place", () => expect(errorRange(text, {})).toBeUndefined());
});

describe("tables named in a statement", () => {
  it("are found once, with and without backticks", () => {
    expect(tablesNamed("SELECT * FROM flights.airlines a JOIN `my db`.`t``1` ON a.x = 1 WHERE Flights.Airlines.id > 0")).toEqual([
      { database: "Flights", table: "Airlines" },
      { database: "my db", table: "t`1" },
      { database: "a", table: "x" },
    ]);
  });
});
