import { expect, it } from "vitest";

import { operationName, rowChanges } from "./commit-words";

it("names a run by its pipeline", () => {
  expect(operationName({ operation: "MERGE", pipeline: "totals (delete_insert)" })).toBe("PIPELINE totals (delete_insert)");
  expect(operationName({ operation: "MERGE", pipeline: "" })).toBe("MERGE");
});

it("counts rows by what became of them, where all operations are known", () => {
  const operations = [{ metrics: { rows_inserted: 1200, rows_deleted: 10, files_added: 1 } }, { metrics: { rows_inserted: 34, rows_updated: 1 } }];
  expect(rowChanges(operations, 2)).toBe("+1,234 ~1 −10");
  expect(rowChanges(operations, 3)).toBe("");
  expect(rowChanges([{ metrics: {} }], 1)).toBe("");
});
