import { expect, it } from "vitest";

import { filterOf, STATE_CHOICES } from "./request-filter";

it("shows what is not finished unless the address says otherwise", () => {
  expect(filterOf(new URLSearchParams(), "alice").state).not.toContain("merged");
  expect(filterOf(new URLSearchParams("state=all"), "alice")).toEqual({});
  expect(filterOf(new URLSearchParams("state=merged"), "alice")).toEqual({ state: ["merged"] });
});

it("offers every state that there is", () => {
  expect(STATE_CHOICES).toHaveLength(11);
});

it("knows whose and which by who looks and what was typed", () => {
  expect(filterOf(new URLSearchParams("state=all&whose=mine&search=late&label=weekly"), "alice")).toEqual({ author: "alice", search: "late", label: "weekly" });
  expect(filterOf(new URLSearchParams("state=all&whose=review"), "bob")).toEqual({ reviewer: "bob" });
});
