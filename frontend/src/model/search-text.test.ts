import { expect, it } from "vitest";

import { searchText } from "./search-text";

it("cuts a long name at what the server takes, between characters", () => {
  expect(searchText("short")).toBe("short");
  expect(Array.from(searchText("𝄞".repeat(255)))).toHaveLength(200);
});
