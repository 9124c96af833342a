import { describe, expect, it } from "vitest";

import { entriesFound, type Entry } from "./palette-entries";

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
