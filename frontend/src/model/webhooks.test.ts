import { describe, expect, it } from "vitest";

import { bodyText, deliveryLook } from "./webhooks";

describe("a message", () => {
  it.each([
    ["delivered", 1, "delivered"],
    ["failed", 8, "given up"],
    ["pending", 0, "on its way"],
    ["pending", 3, "to be sent again"],
  ] as const)("that is %s after %d attempts is said to be %s", (state, attempts, word) => {
    expect(deliveryLook({ state, attempts }).word).toBe(word);
  });

  it("is laid out, whatever it is", () => {
    expect(bodyText('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(bodyText("no json")).toBe("no json");
  });
});
