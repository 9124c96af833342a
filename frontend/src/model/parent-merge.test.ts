import { describe, expect, it } from "vitest";

import { parentMergeLines } from "./parent-merge";

const CLEAN = { branch: "main", mergeable: true, conflicts: [], notes: [] };

describe("parentMergeLines", () => {
  it("says that there is no conflict", () => {
    expect(parentMergeLines(CLEAN)).toEqual(["A merge to main would then have no conflict."]);
  });

  it("counts conflicts and notes by code and table", () => {
    const conflicts = [{ code: "ROW_UPDATE_UPDATE", object: "d.t", count: 2 }];
    const notes = [{ code: "STALE_READ", object: "d.u", count: 1 }];
    expect(parentMergeLines({ ...CLEAN, mergeable: false, conflicts, notes })).toEqual([
      "A merge to main would then have conflicts.",
      "ROW_UPDATE_UPDATE of d.t: 2",
      "STALE_READ of d.u: 1",
    ]);
  });

  it("gives the reason where no merge can be planned", () => {
    const refused = { code: "NOT_SUPPORTED", message: "The table is too large.", remedy: "" };
    expect(parentMergeLines({ ...CLEAN, mergeable: false, refused })).toEqual(["A merge to main would then be refused.", "The table is too large."]);
  });
});
