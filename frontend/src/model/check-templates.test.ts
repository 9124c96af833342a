import { expect, test } from "vitest";

import { inWords, parametersOf, textsOf, type Template, type Texts } from "./check-templates";

const CASES: [Template, Texts, boolean, Record<string, unknown>][] = [
  ["not_null", { table: "d.t", column: " v " }, true, { table: "d.t", column: "v", rows: "changed" }],
  ["unique", { table: "d.t", columns: "id, day" }, false, { table: "d.t", columns: ["id", "day"] }],
  ["accepted_values", { table: "d.t", column: "s", values: 'a, "b, c", "say ""x""", 7' }, false, { table: "d.t", column: "s", values: ["a", "b, c", 'say "x"', "7"] }],
  ["row_count_change", { table: "d.t", at_least: "90", at_most: "" }, true, { table: "d.t", at_least: 0.9 }],
  ["freshness", { table: "d.t", column: "at", at_most: "24 hours" }, true, { table: "d.t", column: "at", at_most: "24 hours" }],
  ["bad_share", { table: "d.t", condition: "price < 0", at_most: "0.1" }, false, { table: "d.t", condition: "price < 0", at_most: 0.001 }],
];

test.each(CASES)("%s: texts are parameters", (template, texts, changed, parameters) => {
  expect(parametersOf(template, texts, changed)).toEqual(parameters);
});

test.each(CASES)("%s: parameters are the same texts again", (template, _, changed, parameters) => {
  expect(parametersOf(template, textsOf({ template, parameters }), changed)).toEqual(parameters);
});

test("a form with an empty field has no parameters", () => {
  expect(parametersOf("not_null", { table: "d.t" }, false)).toBeUndefined();
  expect(parametersOf("row_count_change", { table: "d.t" }, false)).toBeUndefined();
  expect(parametersOf("bad_share", { table: "d.t", condition: "x", at_most: "few" }, false)).toBeUndefined();
});

test("a check is said in words", () => {
  const words = CASES.map(([template, , , parameters]) => inWords({ template, parameters }));
  expect(words).toEqual([
    "No NULL in a column: d.t, v; of changed rows",
    "No two rows with the same values: d.t, id, day",
    'Only these values in a column: d.t, s, a, "b, c", "say ""x""", 7',
    "The number of rows changes little: d.t, at least 90%",
    "The newest value is not too old: d.t, at, at most 24 hours",
    "Few rows meet a condition: d.t, price < 0, at most 0.1%",
  ]);
});
