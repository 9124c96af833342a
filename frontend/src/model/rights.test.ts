import { expect, it } from "vitest";

import { rightsSentence } from "./rights";

const of = (subject: string, before: Record<string, unknown> | null, after: Record<string, unknown> | null, catalog: string | null = null) =>
  rightsSentence({ subject, before, after, catalog });

it("says who got or lost what", () => {
  expect(of("role", null, { role: "viewer" }, "demo")).toBe("is viewer of demo");
  expect(of("role", { role: "viewer" }, { role: "owner" }, "demo")).toBe("is owner of demo, was viewer");
  expect(of("role of a group", { role: "viewer" }, null, "demo")).toBe("is no viewer of demo any more");
  expect(of("group member", null, { group: "g" })).toBe("entered the group g");
  expect(of("group member", { group: "g" }, null)).toBe("left the group g");
  expect(of("password", null, { by: "link" })).toBe("password chosen by link");
});

it("names only what changed of an account", () => {
  const before = { is_active: true, standing: "person", email: "" };
  expect(of("account", null, before)).toBe("account made");
  expect(of("account", before, { ...before, is_active: false })).toBe("disabled");
  expect(of("account", before, { ...before, standing: "staff", email: "a@b" })).toBe("standing staff, was person; email changed");
});
