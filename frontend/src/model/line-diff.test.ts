import { describe, expect, it } from "vitest";

import { diffHunks, lineDiff } from "./line-diff";

const shown = (before: string, after: string) => {
  const signs = { same: " ", removed: "-", added: "+" };
  return lineDiff(before, after).map(({ kind, text }) => signs[kind] + text);
};

describe("two texts line by line", () => {
  it("have a removed and an added line where one was changed", () => {
    expect(shown("a\nb\nc", "a\nB\nc")).toEqual([" a", "-b", "+B", " c"]);
  });

  it("keep what moved apart but is common in order", () => {
    expect(shown("a\nb\nc\nd", "b\nx\nd\ne")).toEqual(["-a", " b", "-c", "+x", " d", "+e"]);
  });

  it("are the same where they are, and wholly different from nothing", () => {
    expect(shown("a\nb", "a\nb")).toEqual([" a", " b"]);
    expect(lineDiff("a\na", "a").map(({ kind }) => kind).toSorted()).toEqual(["removed", "same"]);
  });

  it("are new from the first line to the last after an empty one, its last line break with them", () => {
    expect(shown("", "a\nb\n")).toEqual(["+a", "+b", "+"]);
    expect(shown("a", "")).toEqual(["-a"]);
  });

  it("number their lines each for itself", () => {
    expect(lineDiff("a\nb", "x\na\nb").map(({ before, after }) => [before, after])).toEqual([[null, 1], [1, 2], [2, 3]]);
  });

  it("make either text again from the diff, whatever the texts", () => {
    let seed = 7;
    const next = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most;
    const text = () => Array.from({ length: next(9) }, () => "abc"[next(3)]).join("\n");
    for (let round = 0; round < 300; round += 1) {
      const [before, after] = [text(), text()];
      const lines = lineDiff(before, after);
      expect(lines.filter(({ kind }) => kind !== "added").map((line) => line.text).join("\n")).toBe(before);
      expect(lines.filter(({ kind }) => kind !== "removed").map((line) => line.text).join("\n")).toBe(after);
    }
  });

  it("have only their changed lines apart, however long they are", () => {
    const before = Array.from({ length: 5000 }, (_, place) => `line ${place}`);
    const after = before.with(1, "early").with(4998, "late");
    const changed = lineDiff(before.join("\n"), after.join("\n")).filter(({ kind }) => kind !== "same");
    expect(changed.map(({ text }) => text)).toEqual(["line 1", "early", "line 4998", "late"]);
  });

  it("are shown apart at once or as a whole where no line is common", () => {
    const lines = (word: string) => Array.from({ length: 2500 }, (_, place) => `${word}${place}`).join("\n");
    const kinds = lineDiff(lines("a"), lines("b")).map(({ kind }) => kind);
    expect([kinds.filter((kind) => kind === "removed").length, kinds.length]).toEqual([2500, 5000]);
  });
});

describe("stretches with changes", () => {
  it("leave out what is far from every change", () => {
    const before = Array.from({ length: 30 }, (_, place) => `line ${place}`);
    const after = before.with(2, "changed").with(20, "changed");
    const hunks = diffHunks(lineDiff(before.join("\n"), after.join("\n")), 1);
    expect(hunks.map((lines) => lines.map(({ text }) => text))).toEqual([
      ["line 1", "line 2", "changed", "line 3"],
      ["line 19", "line 20", "changed", "line 21"],
    ]);
  });
});
