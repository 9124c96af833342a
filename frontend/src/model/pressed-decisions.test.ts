import { beforeEach, describe, expect, it, vi } from "vitest";

import type { ResolutionChoice } from "../api/resources";
import { PressedDecisions, type Change } from "./pressed-decisions";

const LINE = "delays...main";

function choice(key: string, decision: ResolutionChoice["decision"] = "source", source_head = 15): Change {
  return { decide: [{ object_kind: "table", object_id: 5, part: "row", part_key: key, decision, name: "", value: "", confirm: null, source_head, destination_head: 16 }] };
}

const keysOf = (change: Change) => ("decide" in change ? change.decide.map(({ part_key }) => part_key) : change.withdraw);

describe("decisions that were pressed", () => {
  let sent: Change[];
  let answers: { save: () => void; fail: (error: Error) => void }[];
  let pressed: PressedDecisions<string, string>;

  beforeEach(() => {
    sent = [];
    answers = [];
    pressed = new PressedDecisions({
      send: (_, change) => {
        sent.push(change);
        return new Promise<string>((resolve, reject) => answers.push({ save: () => resolve("saved"), fail: reject }));
      },
      saved: () => Promise.resolve(),
      isRefusal: (error) => error instanceof RangeError,
      most: 3,
    });
  });

  const standings = () => pressed.entries().map(({ standing }) => standing);
  const calls = async (wanted: number) => vi.waitFor(() => expect(sent).toHaveLength(wanted));

  it("go together in the next call while one runs, and are forgotten once they are saved", async () => {
    for (const key of ["a", "b", "c"]) pressed.press(LINE, "", choice(key));
    await calls(1);
    expect(standings()).toEqual(["sent", "waiting", "waiting"]);
    answers[0]?.save();
    await calls(2);
    expect(sent.map(keysOf)).toEqual([["a"], ["b", "c"]]);
    answers[1]?.save();
    await vi.waitFor(() => expect(standings()).toEqual([]));
  });

  it("keep their order where two are about one part, where the heads differ, and at a withdrawal", async () => {
    pressed.press(LINE, "", choice("a"));
    pressed.press(LINE, "", choice("b"));
    pressed.press(LINE, "", choice("b", "destination"));
    pressed.press(LINE, "", choice("c", "source", 17));
    pressed.press(LINE, "", { withdraw: 8 });
    for (let place = 0; place < 5; place += 1) {
      await calls(place + 1);
      answers[place]?.save();
    }
    expect(sent.map(keysOf)).toEqual([["a"], ["b"], ["b"], ["c"], 8]);
  });

  it("are at most as many as one call takes", async () => {
    for (const key of ["a", "b", "c", "d", "e"]) pressed.press(LINE, "", choice(key));
    await calls(1);
    answers[0]?.save();
    await calls(2);
    answers[1]?.save();
    await calls(3);
    expect(sent.map(keysOf)).toEqual([["a"], ["b", "c", "d"], ["e"]]);
  });

  it("are sent one by one where they were refused together, so that only the refused one is not saved", async () => {
    for (const key of ["a", "b", "c"]) pressed.press(LINE, "", choice(key));
    await calls(1);
    answers[0]?.save();
    await calls(2);
    answers[1]?.fail(new RangeError("Stale"));
    await calls(3);
    answers[2]?.fail(new RangeError("b is stale"));
    await calls(4);
    answers[3]?.save();
    await vi.waitFor(() => expect(standings()).toEqual(["failed"]));
    expect(sent.map(keysOf)).toEqual([["a"], ["b", "c"], ["b"], ["c"]]);
    expect(pressed.entries()[0]?.error?.message).toBe("b is stale");
  });

  it("stay until they are tried again, pressed again or discarded", async () => {
    pressed.press(LINE, "", choice("a"));
    await calls(1);
    answers[0]?.fail(new Error("no answer"));
    await vi.waitFor(() => expect(standings()).toEqual(["failed"]));
    pressed.tryAgain();
    await calls(2);
    answers[1]?.fail(new Error("no answer"));
    await vi.waitFor(() => expect(standings()).toEqual(["failed"]));
    pressed.press(LINE, "", choice("a", "destination"));
    expect(standings()).toEqual(["sent"]);
    answers[2]?.fail(new Error("no answer"));
    await vi.waitFor(() => expect(standings()).toEqual(["failed"]));
    pressed.discard();
    expect(standings()).toEqual([]);
  });

  it("are all sent when the page goes away, also those that waited for a call", async () => {
    for (const key of ["a", "b", "c"]) pressed.press(LINE, "", choice(key));
    await calls(1);
    pressed.leave();
    expect(sent.map(keysOf)).toEqual([["a"], ["b", "c"]]);
    expect(standings()).toEqual(["sent", "sent", "sent"]);
  });
});
