import { describe, expect, it } from "vitest";

import { rowName, tellingApart } from "./row-names";

const COLUMNS = ["tail", "year", "carrier", "flight", "origin"].map((name) => ({ name }));

describe("the name of a row", () => {
  it("is its primary key where it has one", () => {
    expect(rowName('{"id":1,"day":"2026-01-01"}', COLUMNS, ["x"], [0])).toBe("id = 1, day = 2026-01-01");
  });

  it("is made of the first columns that tell the rows apart, with the id of the row behind", () => {
    const rows = [
      [null, 2013, "UA", 1545, "EWR"],
      [null, 2013, "UA", 1714, "LGA"],
      [null, 2013, "AA", 1545, "JFK"],
    ];
    const places = tellingApart(5, rows);
    expect(places).toEqual([2, 3]);
    expect(rowName("23", COLUMNS, rows[0] ?? null, places)).toBe("carrier = UA, flight = 1545 (row 23)");
  });

  it("is the first column with a value where one row stands alone, or nothing tells rows apart", () => {
    expect(tellingApart(2, [[null, "UA"]])).toEqual([1]);
    expect(tellingApart(2, [["UA", "x"], ["UA", "x"]])).toEqual([0]);
  });

  it("is the id of the row where there is no value to show", () => {
    expect(tellingApart(1, [[null], [null]])).toEqual([]);
    expect(rowName("23", COLUMNS, null, [0])).toBe("id 23");
  });
});
