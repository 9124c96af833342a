import { describe, expect, it } from "vitest";

import type { RequestDetail } from "../api/resources";
import { APPROVAL, request, STALE } from "../testing/review";
import { approvalsText, isFinishedState, isWithPeople, nextSteps, sourceName, STATE_MARKS, UNFINISHED } from "./review";

const texts = (found: RequestDetail) => nextSteps(found).map(({ text }) => text);

describe("how a request stands", () => {
  it("counts approvals against what is required, and names the stale ones and objections", () => {
    expect(approvalsText({ approvals: 2, stale_approvals: 0, objections: 0 }, 2)).toBe("2 of 2 approvals");
    expect(approvalsText({ approvals: 1, stale_approvals: 1, objections: 1 }, 2)).toBe("1 of 2 approvals, 1 stale, 1 person requests changes");
    expect(approvalsText({ approvals: 1, stale_approvals: 0, objections: 2 })).toBe("1 approval, 2 people request changes");
  });

  it("says who must still do what", () => {
    expect(texts(request())).toEqual(["bob reviews it.", "1 more reviewer approves it."]);
    expect(texts(request({ votes: [STALE], stale_approvals: 1 }))).toEqual(["bob looks again.", "1 more reviewer approves it."]);
    expect(texts(request({ votes: [APPROVAL], approvals: 1, reviewers: ["bob", "carol"] }))).toEqual(["carol reviews it."]);
    expect(
      nextSteps(
        request({
          votes: [{ ...APPROVAL, reviewer: "carol", verdict: "request_changes", counts: false }],
          blockers: [
            { code: "CHANGES_REQUESTED", message: "" },
            { code: "CONFLICTS", message: "The branches conflict." },
          ],
        }),
      ),
    ).toEqual([
      { text: "alice answers carol, who then approves or withdraws." },
      { text: "The branches conflict. Anyone with write access can resolve that.", tab: "compare", action: "Resolve" },
    ]);
  });

  it("asks nothing of anybody while lakeui has it in hand, or when it is over", () => {
    expect(nextSteps(request({ state: "merging" }))).toEqual([]);
    expect(nextSteps(request({ state: "closed" }))).toEqual([]);
  });

  it("knows of every state whether it is over and whether people may act", () => {
    expect(Object.keys(STATE_MARKS).filter((state) => isFinishedState(state as keyof typeof STATE_MARKS))).toEqual(["merged", "closed"]);
    expect(UNFINISHED.filter((state) => !isWithPeople(state))).toEqual(["queued", "merging"]);
  });

  it("names a source of another catalog with that", () => {
    const given = request();
    expect(sourceName(given)).toBe("delays");
    expect(sourceName({ ...given, source: { ...given.source, catalog: "lab" } })).toBe("lab.delays");
  });
});
