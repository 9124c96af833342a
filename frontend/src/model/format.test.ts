import { describe, expect, it } from "vitest";

import { bytes, bytesRound, cellText, count, counted, duration, exactTime, isNumericType, relativeTime } from "./format";

const NOW = new Date("2026-03-10T12:00:00Z");
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

describe("numbers", () => {
  it("groups thousands", () => expect(count(336776)).toBe("336,776"));
  it("says one thing in the singular only", () => {
    expect([0, 1, 2, 1000].map((n) => counted(n, "row"))).toEqual(["0 rows", "1 row", "2 rows", "1,000 rows"]);
    expect(counted(2, "entry", "entries")).toBe("2 entries");
  });
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.00 kB"],
    [3284, "3.28 kB"],
    [999_499, "999 kB"],
    [999_500, "1.00 MB"],
    [5_274_347, "5.27 MB"],
    [52_743_470, "52.7 MB"],
    [1.2e15, "1.20 PB"],
    [9.9e18, "9900 PB"],
  ])("shows %d bytes as %s", (value, shown) => expect(bytes(value)).toBe(shown));

  it.each([
    [0, "0 B"],
    [600_000, "600 kB"],
    [2_000_000, "2 MB"],
    [2_500_000, "2.5 MB"],
    [10_000_000, "10 MB"],
  ])("shows %d bytes on an axis as %s", (value, shown) => expect(bytesRound(value)).toBe(shown));
  it.each([
    [0, "0 ms"],
    [340, "340 ms"],
    [999.6, "1.0 s"],
    [2500, "2.5 s"],
    [59_960, "1 min"],
    [200_000, "3 min 20 s"],
    [7_500_000, "2 h 5 min"],
  ])("shows %d ms as %s", (value, shown) => expect(duration(value)).toBe(shown));
});

describe("times", () => {
  it.each([
    [0, "just now"],
    [59, "just now"],
    [60, "1 minute ago"],
    [3599, "59 minutes ago"],
    [3600, "1 hour ago"],
    [86_400, "yesterday"],
    [86_400 * 3, "3 days ago"],
    [86_400 * 400, "last year"],
    [-7200, "in 2 hours"],
    [-20, "in less than a minute"],
  ])("says %d seconds ago as %s", (seconds, said) => {
    expect(relativeTime(before(seconds), NOW)).toBe(said);
  });
  it("gives the exact moment in local time and in UTC", () => {
    expect(exactTime(NOW, "Europe/Berlin")).toBe("10 Mar 2026, 13:00:00 (2026-03-10 12:00:00 UTC)");
  });
});

describe("values of results", () => {
  it("tells a missing value from a text", () => {
    expect(cellText(null)).toBe("NULL");
    expect(cellText("NULL")).toBe("NULL");
    expect(cellText({ a: [1] })).toBe('{"a":[1]}');
    expect(cellText(false)).toBe("false");
  });
  it("knows numbers by their type", () => {
    expect(["int", "decimal(10,2)", "BIGINT"].every(isNumericType)).toBe(true);
    expect(["string", "interval day", "array<int>"].some(isNumericType)).toBe(false);
  });
});
