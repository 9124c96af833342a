import { describe, expect, it } from "vitest";

import type { ComparedDetail } from "../api/resources";
import { CONFLICT, FINE } from "../testing/findings";
import { resolution } from "../testing/review";
import { decisionOf, isDecidable, partsOf } from "./decisions";

const column = (name: string) => ({ id: 4, name, type: "int", nullable: true, default: null, comment: null });
const DETAIL = {
  kind: "table",
  object_id: 5,
  properties: [
    { key: "owner", base: "a", source: "b", destination: "c", result: null },
    { key: "note", base: "a", source: "b", destination: "a", result: "b" },
  ],
  columns: [{ id: 4, base: column("delay"), source: column("late"), destination: column("wait"), result: null, is_changed: true }],
  partitions: {
    source: [{ before: { year: "2013", month: null }, after: null }],
    destination: [{ before: { year: "2013", month: null }, after: { year: "2014", month: null } }],
  },
} as unknown as ComparedDetail;

describe("what can be decided", () => {
  it("is the object, and each part that both sides changed, as the server names it", () => {
    expect(partsOf(DETAIL).map(({ part, part_key, label, decisions }) => [part, part_key, label, decisions.join(" ")])).toEqual([
      ["object", "", "", "source destination leave_out rename"],
      ["property", "owner", "property owner", "source destination"],
      ["column", "4", "column delay", "destination"],
      ["partition", "2013/", "partition 2013/", "destination"],
    ]);
  });

  it("is anything only where there is or was a conflict", () => {
    expect(isDecidable([FINE])).toBe(false);
    expect(isDecidable([FINE, CONFLICT])).toBe(true);
    expect(isDecidable([{ ...CONFLICT, verdict: "decided" }])).toBe(true);
  });

  it("finds the decision of just that part", () => {
    const made = [resolution({ id: 1, object_id: 6 }), resolution({ id: 2, part: "property", part_key: "owner" })];
    const [object, property] = partsOf(DETAIL);
    expect(object && decisionOf(made, DETAIL, object)).toBeUndefined();
    expect(property && decisionOf(made, DETAIL, property)?.id).toBe(2);
  });
});
