import { expect, it } from "vitest";

import type { ComparedDetail } from "../api/resources";
import { bothSides, exactProfile, profileStatement, shortTime, sideProfileStatement, type ExactColumn } from "./column-profile";

it("asks for the version that the page shows", () => {
  expect(profileStatement("d", "odd `name`", 7)).toBe("SHOW PROFILE `d`.`odd ``name``` VERSION AS OF 7");
});

it("leaves a fraction of zero out of a time", () => {
  const values = ["2013-01-01T10:00:00.000000Z", "2013-01-01 10:00:00.000", "2013-01-01T10:00:00.250Z", "a 2013-01-01T10:00:00.000Z", 7];
  expect(values.map(shortTime)).toEqual(["2013-01-01T10:00:00Z", "2013-01-01 10:00:00", ...values.slice(2)]);
});

it("reads the answer by column", () => {
  const rows = [
    ["id", "int", 10, 2, 4, "-1", "9", [{ at: 1.5, count: 3 }, { at: "7.5", count: 5 }], [{ value: "9", count: "5" }]],
    ["tags", "map<string,int>", 10, 10, null, null, null, [], []],
  ];
  expect(exactProfile(rows)).toEqual([
    { name: "id", rows: 10, nulls: 2, distinct: 4, least: "-1", largest: "9", histogram: [{ at: 1.5, count: 3 }, { at: 7.5, count: 5 }], top: [{ value: "9", count: 5 }] },
    { name: "tags", rows: 10, nulls: 10, distinct: undefined, least: undefined, largest: undefined, histogram: [], top: [] },
  ]);
});

it("counts a compared table at the head of a side that has it", () => {
  const detail = { names: { base: "d.t", source: "d.renamed", destination: null, result: null }, source_head: 7, destination_head: 9 } as unknown as ComparedDetail;
  expect(sideProfileStatement(detail, "source")).toBe("SHOW PROFILE `d`.`renamed` VERSION AS OF 7");
  expect(sideProfileStatement(detail, "destination")).toBeUndefined();
});

it("puts the columns of both sides together by name", () => {
  const column = (name: string, rows: number) => ({ name, rows }) as ExactColumn;
  const [before, after] = [[column("gone", 1), column("id", 1)], [column("id", 2), column("new", 2)]];
  expect(bothSides(before, after).map(({ name, before: one, after: other }) => [name, one?.rows, other?.rows])).toEqual([
    ["id", 1, 2],
    ["new", undefined, 2],
    ["gone", 1, undefined],
  ]);
});
