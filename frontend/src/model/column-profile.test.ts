import { expect, it } from "vitest";

import { exactProfile, profileStatement } from "./column-profile";

const COLUMNS = [
  { name: "id", type: "int" },
  { name: "odd `name`", type: "string" },
  { name: "tags", type: "array<string>" },
];

it("counts all columns in one statement, each as far as its type allows", () => {
  expect(profileStatement("d", "t", 7, COLUMNS)).toBe(
    [
      "SELECT",
      "  count(*) AS c0,",
      "  count(`id`) AS c1,",
      "  hll_sketch_estimate(hll_sketch_agg(CAST(`id` AS STRING), 13)) AS c2,",
      "  min(`id`) AS c3,",
      "  max(`id`) AS c4,",
      "  histogram_numeric(CAST(`id` AS DOUBLE), 20) AS c5,",
      "  count(`odd ``name```) AS c6,",
      "  hll_sketch_estimate(hll_sketch_agg(CAST(`odd ``name``` AS STRING), 13)) AS c7,",
      "  min(`odd ``name```) AS c8,",
      "  max(`odd ``name```) AS c9,",
      "  count(`tags`) AS c10",
      "FROM `d`.`t` VERSION AS OF 7",
    ].join("\n"),
  );
});

it("reads the answer back by column", () => {
  const row = [10, 8, 4, -1, 9, [{ x: -1, y: 3 }, { x: "9.0", y: 5 }], 10, 2, "a", "b", 0];
  expect(exactProfile(COLUMNS, row)).toEqual([
    { name: "id", rows: 10, nulls: 2, distinct: 4, least: -1, largest: 9, histogram: [{ at: -1, count: 3 }, { at: 9, count: 5 }] },
    { name: "odd `name`", rows: 10, nulls: 0, distinct: 2, least: "a", largest: "b", histogram: [] },
    { name: "tags", rows: 10, nulls: 10, distinct: undefined, least: undefined, largest: undefined, histogram: [] },
  ]);
});
