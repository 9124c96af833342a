import { expect, it } from "vitest";

import { inOrder } from "./reading-order";

it("keeps the database to the left of the table, whatever script they are in", () => {
  expect(inOrder("الطلبات.מכירות")).toBe("\u2068الطلبات\u2069.\u2068מכירות\u2069");
  expect(inOrder("sales.מכירות")).toBe("\u2068sales\u2069.\u2068מכירות\u2069");
});

it("leaves every other name as it is, so that it can be found and copied", () => {
  for (const name of ["flights.flights", "日本.表", "main", ""]) expect(inOrder(name)).toBe(name);
});
