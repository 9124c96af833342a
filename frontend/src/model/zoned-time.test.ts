import { expect, it } from "vitest";

import { zonedTime } from "./zoned-time";

it("says a time by the clock of its zone, on both sides of a change of the clock", () => {
  expect(zonedTime("2026-03-28T05:00:00Z", "Europe/Berlin")).toBe("Sat, 28 Mar 2026, 06:00 Europe/Berlin");
  expect(zonedTime("2026-03-30T04:00:00Z", "Europe/Berlin")).toBe("Mon, 30 Mar 2026, 06:00 Europe/Berlin");
});
