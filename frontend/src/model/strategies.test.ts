/** The pictures tell what the strategies do: each is held to what its sentence says. */
import { describe, expect, it } from "vitest";

import { pictureText, STRATEGIES, STRATEGY_NAMES } from "./strategies";

const keyOf = (text: string) => text.split(" ")[0] ?? "";

describe.each(STRATEGY_NAMES)("the picture of %s", (name) => {
  const { before, batch, after } = STRATEGIES[name];
  const texts = after.map(({ text }) => text);

  it("keeps what stays and loses what goes", () => {
    for (const { text, mark } of before) {
      if (mark === "gone") expect(texts).not.toContain(text);
      else expect(texts.some((row) => row === text || row.startsWith(text.replace(" …", " ")))).toBe(true);
    }
  });

  it("has nothing new or changed that does not come from the query or end a version", () => {
    for (const { text, mark } of after) {
      if (mark === "new") expect(batch.some((row) => text.startsWith(row))).toBe(true);
      if (mark === "kept") expect(before.map((row) => row.text)).toContain(text);
    }
  });
});

it("keeps one row a key where the strategy promises it", () => {
  const keys = STRATEGIES.incremental.after.map(({ text }) => keyOf(text));
  expect(new Set(keys).size).toBe(keys.length);
});

it("is said in words", () => {
  expect(pictureText(STRATEGIES.append_only)).toBe("Before: a 1, b 1. The query finds b 2, c 1. Afterwards: a 1 stays, b 1 stays, b 2 is new, c 1 is new.");
});
