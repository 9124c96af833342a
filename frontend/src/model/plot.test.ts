import { describe, expect, it } from "vitest";

import { sizeBins, stepPath, ticks } from "./plot";

describe("the ticks of an axis", () => {
  it("are round and reach the largest value", () => {
    expect(ticks(336_778)).toEqual([0, 200_000, 400_000]);
    expect(ticks(7)).toEqual([0, 5, 10]);
    expect(ticks(300)).toEqual([0, 100, 200, 300]);
  });
  it("never fall between two rows", () => {
    expect(ticks(1)).toEqual([0, 1]);
    expect(ticks(2)).toEqual([0, 1, 2]);
  });
  it("are only the zero where there is nothing", () => {
    expect(ticks(0)).toEqual([0]);
  });
});

describe("a line of steps", () => {
  it("holds each value until the next and ends at the right edge", () => {
    expect(stepPath([0, 5, 10], 10)).toBe("M0 1H0.33333V0.5H0.66667V0H1");
  });
  it("lies on the ground where everything is zero", () => {
    expect(stepPath([0, 0], 0)).toBe("M0 1H0.5V1H1");
  });
});

describe("bins of file sizes", () => {
  it("are powers of ten without a gap, the lower end inclusive", () => {
    expect(sizeBins([1000, 999, 1, 120_000])).toEqual([
      { from: 1, to: 10, count: 1 },
      { from: 10, to: 100, count: 0 },
      { from: 100, to: 1000, count: 1 },
      { from: 1000, to: 10_000, count: 1 },
      { from: 10_000, to: 100_000, count: 0 },
      { from: 100_000, to: 1_000_000, count: 1 },
    ]);
  });
  it("count an empty file with the smallest, and every file once", () => {
    expect(sizeBins([0, 1])).toEqual([{ from: 1, to: 10, count: 2 }]);
    const many = Array.from({ length: 200_000 }, (_, place) => place);
    expect(sizeBins(many).reduce((sum, bin) => sum + bin.count, 0)).toBe(200_000);
  });
  it("of no file are none", () => expect(sizeBins([])).toEqual([]));
});
