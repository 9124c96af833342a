import { describe, expect, it } from "vitest";

import type { RuleTable, Rules } from "../api/resources";
import { CONFLICT, FINE, finding } from "../testing/findings";
import rulesJson from "../testing/rules.json";
import { firstPlace, matrixOf, placeAfterKey } from "./matrix";

const found = (rulesJson as Rules).tables.find((table) => table.name === "table");
if (!found) throw new Error("no table rules");
const TABLE: RuleTable = found;
const DONE = { source: ["column", "update"], destination: ["insert"] };

describe("the matrix of an object", () => {
  it("shows only what both sides did, rows for the source and columns for the target", () => {
    const matrix = matrixOf(TABLE, [CONFLICT, FINE], DONE, false);
    expect(matrix.rows.map((axis) => axis.key)).toEqual(["column", "update"]);
    expect(matrix.columns.map((axis) => axis.key)).toEqual(["insert"]);
    expect(matrix.cells.map((row) => row.map((cell) => [cell.mark.symbol, cell.mark.word]))).toEqual([
      [["≈", "no conflict (checked)"]],
      [["✕", "conflict"]],
    ]);
  });

  it("has every cell of the rule table when whole, with the general verdict where nothing meets", () => {
    const matrix = matrixOf(TABLE, [CONFLICT], DONE, true);
    expect(matrix.cells.flat()).toHaveLength(TABLE.axes.length ** 2);
    expect(matrix.cells.flat().filter((cell) => cell.isMet)).toHaveLength(1);
    const update = matrix.rows.findIndex((axis) => axis.key === "update");
    const column = matrix.columns.findIndex((axis) => axis.key === "update");
    expect(matrix.cells[update]?.[column]?.mark.word).toBe("depends (A3)");
  });

  it("is not symmetric: the source's operation is the row", () => {
    const turned = matrixOf(TABLE, [], { source: ["insert"], destination: ["update"] }, false);
    expect(turned.cells[0]?.[0]?.rule.verdict).toBe("ok");
    const matrix = matrixOf(TABLE, [], { source: ["update"], destination: ["insert"] }, false);
    expect(matrix.cells[0]?.[0]?.rule.verdict).toBe("conflict");
  });

  it("shows the source's work against the whole axis where the target did nothing", () => {
    const matrix = matrixOf(TABLE, [], { source: ["insert"], destination: [] }, false);
    expect(matrix.rows).toHaveLength(1);
    expect(matrix.columns).toHaveLength(TABLE.axes.length);
    expect(matrix.cells.flat().every((cell) => cell.mark.kind === "unmet")).toBe(true);
  });

  it("lets a conflict outshine a note in one cell, and keeps both", () => {
    const note = finding({ verdict: "note", code: "DISCARDED_UPDATE", note: "A4" });
    const matrix = matrixOf(TABLE, [note, CONFLICT], DONE, false);
    expect(matrix.cells[1]?.[0]?.mark.kind).toBe("conflict");
    expect(matrix.cells[1]?.[0]?.findings).toHaveLength(2);
  });

  it("says what a note did and by which rule", () => {
    const note = finding({ dest_op: "overwrite", verdict: "note", code: "DISCARDED_UPDATE", note: "A4" });
    const matrix = matrixOf(TABLE, [note], { source: [], destination: [] }, false);
    expect(matrix.cells[0]?.[0]?.mark).toEqual({ kind: "note", symbol: "⤓", word: "discarded (A4)" });
  });
});

describe("moving in the matrix", () => {
  const matrix = matrixOf(TABLE, [FINE, CONFLICT], DONE, true);

  it("begins at the conflict", () => {
    const place = firstPlace(matrix);
    expect(place && matrix.cells[place.row]?.[place.column]?.mark.kind).toBe("conflict");
  });
  it("begins nowhere where nothing meets", () => {
    expect(firstPlace(matrixOf(TABLE, [], DONE, true))).toBeUndefined();
  });
  it("follows arrows and stops at the edges", () => {
    const last = TABLE.axes.length - 1;
    expect(placeAfterKey(matrix, { row: 0, column: 0 }, "ArrowUp")).toEqual({ row: 0, column: 0 });
    expect(placeAfterKey(matrix, { row: 0, column: 0 }, "ArrowDown")).toEqual({ row: 1, column: 0 });
    expect(placeAfterKey(matrix, { row: 1, column: last }, "ArrowRight")).toEqual({ row: 1, column: last });
    expect(placeAfterKey(matrix, { row: 1, column: 3 }, "Home")).toEqual({ row: 1, column: 0 });
    expect(placeAfterKey(matrix, { row: 1, column: 3 }, "End")).toEqual({ row: 1, column: last });
    expect(placeAfterKey(matrix, { row: 1, column: 3 }, "x")).toBeUndefined();
  });
});
