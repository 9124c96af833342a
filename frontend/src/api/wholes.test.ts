import { expect, test } from "vitest";

import { wholesKept } from "./wholes";

test("a whole number that JavaScript would round becomes a text, wherever it stands", () => {
  const sent = '{"rows":[[9007199254740993,-9007199254740993,9007199254740991,1.5,{"n":[12345678901234567890]}]]}';
  expect(JSON.parse(wholesKept(sent))).toEqual({
    rows: [["9007199254740993", "-9007199254740993", 9007199254740991, 1.5, { n: ["12345678901234567890"] }]],
  });
});

test("digits inside of texts stay as they are", () => {
  const sent = JSON.stringify({ a: '9007199254740993 "9007199254740993" \\\\', b: "9007199254740993" });
  expect(wholesKept(sent)).toBe(sent);
});

test("other numbers beside such a one keep their digits", () => {
  expect(wholesKept("[9007199254740993,-0.0,1e-7,0.1]")).toBe('["9007199254740993",-0.0,1e-7,0.1]');
});
