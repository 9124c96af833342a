import { describe, expect, it } from "vitest";

import type { SearchResult } from "../api/resources";
import { entriesFound, entryOf, type Entry } from "./palette-entries";

function entry(label: string, detail = "table"): Entry {
  return { id: label, label, detail, address: "/", icon: "tables" };
}

describe("searching everywhere", () => {
  const entries = [entry("old_flights"), entry("flights_2014"), entry("flights"), entry("airlines", "table in flights")];
  const found = (text: string) => entriesFound(entries, text).map(({ label }) => label);

  it("puts the whole name first, then beginnings, insides, and other words", () => {
    expect(found("flights")).toEqual(["flights", "flights_2014", "old_flights", "airlines"]);
  });
  it("wants every word, and takes the dot of a name for a space", () => {
    expect(found("flights.airlines")).toEqual(["airlines"]);
    expect(found("flights nothing")).toEqual([]);
  });
  it("keeps the order for an empty text, and stops at a limit", () => {
    expect(found("")).toEqual(["old_flights", "flights_2014", "flights", "airlines"]);
    expect(entriesFound(entries, "", 2)).toHaveLength(2);
  });
});

describe("what a search found", () => {
  const found: SearchResult = {
    kind: "table", label: "d.t", catalog: "lake", branch: "feature/x", database: "d", table: "t", view: null, column: null, tag: null, merge_id: null, version: null, former_name: null, until_version: null, is_dropped: false, in_trash: false,
  };

  it("leads to its page on the branch on which it was found", () => {
    expect(entryOf(found)).toMatchObject({ label: "t", detail: "table in d on feature/x", address: "/c/lake/b/feature%2Fx/t/d/t" });
    expect(entryOf({ ...found, kind: "column", label: "d.t.c", column: "c" })).toMatchObject({ label: "c", address: "/c/lake/b/feature%2Fx/t/d/t" });
    expect(entryOf({ ...found, kind: "database", label: "d", table: null }).address).toBe("/c/lake/b/feature%2Fx?database=d");
    expect(entryOf({ ...found, kind: "view", label: "d.w", table: null, view: "w" })).toMatchObject({ label: "w", detail: "view in d on feature/x", address: "/c/lake/b/feature%2Fx/v/d/w" });
    expect(entryOf({ ...found, kind: "tag", label: "v1", tag: "v1", version: 7 }).address).toBe("/c/lake/b/feature%2Fx?tab=history&commit=7");
  });
  it("says of a merge whether it was carried out", () => {
    expect(entryOf({ ...found, kind: "merge", label: "x → main", merge_id: "m", version: 9 })).toMatchObject({ detail: "merge, made v9", address: "/merges/m" });
    expect(entryOf({ ...found, kind: "merge", label: "x → main", merge_id: "m" }).detail).toBe("merge, not carried out");
  });
  it("says what something was named, and leads to it", () => {
    const renamed = { ...found, former_name: "old_t", until_version: 12 };
    expect(entryOf(renamed)).toMatchObject({ label: "t", detail: "was named old_t until v12 · table in d on feature/x", address: "/c/lake/b/feature%2Fx/t/d/t" });
    expect(entryOf({ ...renamed, until_version: null }).detail).toBe("was named old_t · table in d on feature/x");
    expect(entriesFound([entryOf(renamed)], "old_t")).toHaveLength(1);
    expect(entryOf({ ...renamed, kind: "column", column: "c" }).address).toBe("/c/lake/b/feature%2Fx/t/d/t?tab=schemas");
  });
  it("leads from what was dropped to the trash or the history", () => {
    const dropped = { ...found, is_dropped: true, in_trash: true, until_version: 14 };
    expect(entryOf(dropped)).toMatchObject({ detail: "dropped in v14 · table in d on feature/x", address: "/c/lake/b/feature%2Fx?tab=trash" });
    expect(entryOf(dropped).id).not.toBe(entryOf(found).id);
    const column = { ...dropped, kind: "column", column: "c" } as const;
    expect(entryOf(column).address).toBe("/c/lake/b/feature%2Fx?tab=trash");
    expect(entryOf({ ...column, in_trash: false }).address).toBe("/c/lake/b/feature%2Fx/t/d/t?tab=history");
    expect(entryOf({ ...dropped, kind: "view", table: null, view: "w", in_trash: false }).address).toBe("/c/lake/b/feature%2Fx?tab=history&commit=14");
    expect(entryOf({ ...dropped, former_name: "old_t" }).detail).toMatch(/^was named old_t, dropped in v14/);
    const branch = { ...dropped, kind: "branch", label: "gone", branch: "gone", database: null, table: null, until_version: null } as const;
    expect(entryOf(branch)).toMatchObject({ detail: "dropped · branch", address: "/c/lake?branches=dropped" });
  });
});
