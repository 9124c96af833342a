import { expect, it } from "vitest";

import { outside } from "./tabs";

it.each([
  ["within", [10, 90], 0],
  ["to the left", [-30, 40], -30],
  ["to the right", [80, 130], 30],
  ["to the right and wider than the list: its beginning is shown", [60, 300], 60],
])("a tab is scrolled into view: %s", (_, [left, right], moved) => {
  expect(outside({ left: left ?? 0, right: right ?? 0 }, { left: 0, right: 100 })).toBe(moved);
});
