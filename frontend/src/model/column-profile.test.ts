import { expect, it } from "vitest";

import { exactProfile, profileStatement } from "./column-profile";

it("asks for the version that the page shows", () => {
  expect(profileStatement("d", "odd `name`", 7)).toBe("SHOW PROFILE `d`.`odd ``name``` VERSION AS OF 7");
});

it("reads the answer by column", () => {
  const rows = [
    ["id", "int", 10, 2, 4, "-1", "9", [{ at: 1.5, count: 3 }, { at: "7.5", count: 5 }]],
    ["tags", "map<string,int>", 10, 10, null, null, null, []],
  ];
  expect(exactProfile(rows)).toEqual([
    { name: "id", rows: 10, nulls: 2, distinct: 4, least: "-1", largest: "9", histogram: [{ at: 1.5, count: 3 }, { at: 7.5, count: 5 }] },
    { name: "tags", rows: 10, nulls: 10, distinct: undefined, least: undefined, largest: undefined, histogram: [] },
  ]);
});
