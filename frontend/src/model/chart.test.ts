import { describe, expect, it } from "vitest";

import { chartOf, firstChoice, MOST } from "./chart";

const COLUMNS = [
  { name: "carrier", type: "string" },
  { name: "delay", type: "double" },
  { name: "day", type: "date" },
  { name: "price", type: "decimal(10,2)" },
];
const ROWS = [
  ["UA", 10, "2026-01-03", "1.00"],
  ["AA", -5, "2026-01-01", "2.00"],
  ["DL", null, "2026-01-02", "3.00"],
];

describe("a chart of a result", () => {
  it("begins with the first column of names over the first of numbers, or with what the columns allow", () => {
    expect(firstChoice(COLUMNS)).toEqual({ kind: "bar", x: 0, y: 1 });
    expect(firstChoice(COLUMNS.slice(1))).toEqual({ kind: "line", x: 1, y: 0 });
    expect(firstChoice([COLUMNS[1], COLUMNS[3]].flatMap((column) => column ?? []))).toEqual({ kind: "scatter", x: 0, y: 1 });
    expect(firstChoice(COLUMNS.slice(3))).toEqual({ kind: "histogram", x: 0, y: 0 });
    expect(firstChoice(COLUMNS.slice(0, 1))).toBeUndefined();
  });

  it("draws bars from 0, down where the value is negative, and tells which rows have no number", () => {
    const chart = chartOf(COLUMNS, ROWS, { kind: "bar", x: 0, y: 1 });
    expect(chart.marks.map(({ label, y, height }) => [label, y.toFixed(3), height.toFixed(3)])).toEqual([
      ["UA: 10", "0.333", "0.667"],
      ["AA: -5", "0.000", "0.333"],
    ]);
    expect(chart.yTicks.map(({ label }) => label)).toEqual(["-5", "0", "5", "10"]);
    expect([chart.drawn, chart.without, chart.beyond]).toEqual([2, 1, 0]);
  });

  it("draws a line in the order of its moments", () => {
    const chart = chartOf(COLUMNS, ROWS, { kind: "line", x: 2, y: 3 });
    expect(chart.marks.map(({ label }) => label)).toEqual(["2026-01-01: 2", "2026-01-02: 3", "2026-01-03: 1"]);
    expect(chart.marks.map(({ x }) => x)).toEqual(chart.marks.map(({ x }) => x).toSorted((one, other) => one - other));
  });

  it("counts every value of a histogram once, the largest in the last bin", () => {
    const rows = Array.from({ length: 100 }, (_, value) => [null, value + 1]);
    const chart = chartOf(COLUMNS, rows, { kind: "histogram", x: 1, y: 1 });
    const counts = chart.marks.map(({ label }) => Number(label.split(": ")[1]));
    expect(counts).toHaveLength(10);
    expect(counts.reduce((sum, found) => sum + found, 0)).toBe(100);
  });

  it("draws the first bars of very many, and says how many are beyond", () => {
    const rows = Array.from({ length: MOST.bar + 5 }, (_, place) => [`c${place}`, place]);
    const chart = chartOf(COLUMNS, rows, { kind: "bar", x: 0, y: 1 });
    expect([chart.drawn, chart.beyond]).toEqual([MOST.bar, 5]);
  });

  it.each([[[]], [[["a", 7]]], [[["a", 0]]]])("stands inside its box for few rows: %j", (rows) => {
    for (const kind of ["bar", "line", "scatter", "histogram"] as const) {
      for (const { x, y, width, height } of chartOf(COLUMNS, rows, { kind, x: 0, y: 1 }).marks) {
        for (const edge of [x, y, x + width, y + height]) expect(edge >= 0 && edge <= 1 + 1e-9).toBe(true);
      }
    }
  });
});
