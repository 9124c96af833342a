/** What no page of any journey may do. */
import { afterAll, expect } from "vitest";

import { refusedByPolicy } from "./browser";

afterAll(() => {
  expect(refusedByPolicy()).toEqual([]);
});
