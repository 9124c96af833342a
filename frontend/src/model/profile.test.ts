import { describe, expect, it } from "vitest";

import type { ColumnProfile } from "../api/resources";
import { changedFirst, meanText, shareText } from "./profile";

const counts = (rows: number) => ({ rows, nulls: 0, distinct: 0, least: null, largest: null, mean: null, top: [], histogram: [] });
const column = (name: string, changed: number, before = 2, after = 2): ColumnProfile => ({
  column: { id: 1, name, type: "int", is_key: false }, updated: 2, changed, before: counts(before), after: counts(after), merged: counts(after),
});

describe("a profile", () => {
  it("shows columns with most changed values first, and leaves those without a change apart", () => {
    const { changed, others } = changedFirst([column("same", 0), column("one", 1), column("two", 2), column("inserted", 0, 2, 3)]);
    expect(changed.map(({ column: { name } }) => name)).toEqual(["two", "one", "inserted"]);
    expect(others.map(({ column: { name } }) => name)).toEqual(["same"]);
  });

  it("never rounds something to nothing, or nearly all to all", () => {
    expect([shareText(0, 10), shareText(1, 1000), shareText(999, 1000), shareText(10, 10), shareText(1, 3), shareText(0, 0)]).toEqual(["0%", "<1%", ">99%", "100%", "33%", "—"]);
  });

  it("says a mean with six digits", () => {
    expect([meanText(null), meanText(1234.56789), meanText(0)]).toEqual(["—", "1,234.57", "0"]);
  });
});
