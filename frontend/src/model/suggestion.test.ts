import { expect, it } from "vitest";

import type { Comment } from "../api/resources";
import { openTogether, seenCell, suggestedValue, suggestionRefusal } from "./suggestion";

const ROW = {
  columns: [{ name: "id", type: "bigint" }, { name: "share", type: "double" }, { name: "tags", type: "array<string>" }],
  values: [9007199254740993n, null, ["a"]],
};

it("knows the cell of a row that is found again by its key or its row id", () => {
  expect(seenCell(ROW, '{"id":1}', "id")).toEqual({ type: "bigint", was: "9007199254740993" });
  expect(seenCell(ROW, '{"id":1}', "share")).toEqual({ type: "double", was: null });
  expect(seenCell(ROW, '{"id":1}', "tags")).toBeUndefined();
  expect(seenCell(ROW, '{"id":1}', "other")).toBeUndefined();
  expect(seenCell(ROW, "4711", "share")).toEqual({ type: "double", was: null });
  expect(seenCell(ROW, "", "share")).toBeUndefined();
  expect(seenCell(undefined, '{"id":1}', "id")).toBeUndefined();
});

it("says why no value can be suggested", () => {
  expect(suggestionRefusal(ROW, '{"id":1}', "share")).toBeUndefined();
  expect(suggestionRefusal(ROW, '{"id":1}', undefined)).toBeUndefined();
  expect(suggestionRefusal(undefined, "", "share")).toBeUndefined();
  expect(suggestionRefusal(ROW, "4711", "share")).toBeUndefined();
  expect(suggestionRefusal(ROW, '{"id":1}', "tags")).toMatch(/array<string> cannot be typed/);
  expect(suggestionRefusal(undefined, '{"id":1}', "share")).toMatch(/source has no such value/);
});

it("sends what was typed as the type has it", () => {
  const cases = [["7", "int"], ["1.50", "decimal(9,2)"], ["0.5", "double"], ["true", "boolean"], ["x", "string"], [null, "int"]] as const;
  expect(cases.map(([typed, type]) => suggestedValue(typed, type)?.value)).toEqual(["7", "1.50", 0.5, true, "x", null]);
  expect(suggestedValue("x", "int")).toBeUndefined();
});

it("puts open suggestions together that can be one commit", () => {
  const of = (id: number, table: number, state: string, key = `{"id":${String(id)}}`) => ({ id, object_id: table, object_name: `d.t${String(table)}`, row_key: key, suggestion: { state } }) as unknown as Comment;
  const plain = { id: 9, object_id: 5, object_name: "d.t5", suggestion: null } as unknown as Comment;
  const free = [of(11, 7, "open", "24"), of(12, 7, "open", "25"), of(13, 7, "open", "24")];
  const found = openTogether([of(1, 5, "open"), of(2, 5, "open"), of(3, 5, "applied"), of(4, 6, "open"), plain, ...free]);
  expect(found).toEqual([{ place: "d.t5", comments: [1, 2] }, { place: "row id 24 of d.t7", comments: [11, 13] }]);
});
