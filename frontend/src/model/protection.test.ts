import { expect, it } from "vitest";

import type { Protection } from "../api/resources";
import { PROTECTED, UNPROTECTED } from "../testing/review";
import { ownersOf, ownersText, protectionText, takesRequestsOnly } from "./protection";
import { patternMatches } from "./branch-pattern";

it("says what a protection asks, in words", () => {
  expect(protectionText(PROTECTED as Protection)).toBe(
    "2 approvals, merged by a maintainer or above, merge requests only, no direct writes, cannot be dropped or renamed",
  );
  expect(protectionText({ ...UNPROTECTED, required_checks: ["no_nulls"], required_statuses: ["ci"], merge_role: "owner", allow_bypass: false })).toBe(
    "check no_nulls, status ci, merged by an owner or above, no bypass",
  );
});

it.each([
  ["main", "main", true],
  ["main", "Main", true],
  ["main", "main2", false],
  ["release/*", "release/2026/1", true],
  ["release/*", "release", false],
  ["v?", "v1", true],
  ["v?", "v10", false],
  ["v[12]", "v2", true],
  ["v[!12]", "v2", false],
  ["v[!12]", "v3", true],
  ["a.b", "axb", false],
  ["a+b(c)", "a+b(c)", true],
  ["a[", "a[", true],
  ["hot-fix/*", "hot-fix/1", true],
  ["[a&^-]", "^", true],
  ["*", "läke", true],
])("takes %s for a pattern of %s: %s", (pattern, name, matches) => {
  expect(patternMatches(pattern, name)).toBe(matches);
});

it("lets only merge requests in where approvals or checks are asked, too", () => {
  const open = UNPROTECTED as Protection;
  expect(takesRequestsOnly(open)).toBe(false);
  expect(takesRequestsOnly({ ...open, required_approvals: 1 })).toBe(true);
  expect(takesRequestsOnly({ ...open, required_checks: ["c"] })).toBe(true);
  expect(takesRequestsOnly({ ...open, required_statuses: ["ci"] })).toBe(true);
  expect(takesRequestsOnly({ ...open, refuse_direct_merges: true })).toBe(true);
  const owners = [{ pattern: "d.*", people: ["ada"], groups: [] }];
  expect(takesRequestsOnly({ ...open, owners })).toBe(false);
  expect(takesRequestsOnly({ ...open, owners, require_owner_approval: true })).toBe(true);
});

it("reads and writes owners of tables as lines", () => {
  const owners = [
    { pattern: "sales.*", people: ["ada", "bob"], groups: ["stewards"] },
    { pattern: "sales.drafts", people: [], groups: [] },
  ];
  expect(ownersText(owners)).toBe("sales.* ada bob @stewards\nsales.drafts");
  expect(ownersOf("  sales.*  ada bob @stewards \n\nsales.drafts")).toEqual(owners);
});
