import { expect, it } from "vitest";

import { NEW_POLICY, policiesSent, policiesText, withRules } from "./policies";

it("says what each policy needs", () => {
  const policies = [
    { ...NEW_POLICY, name: "small" },
    { ...NEW_POLICY, name: "looked at", spot_check: 3 },
    { ...NEW_POLICY, name: "named", approvals: 2, approvers: ["bob"] },
  ];
  expect(policiesText(policies)).toBe("small (no person), looked at (1 approval), named (2 approvals)");
});

it("keeps what a rule says besides its condition, and sends no empty lines", () => {
  const rules = withRules([{ condition: "new.a > 0", tables: ["d.t"], changes: ["update"] }], "new.a > 1\n\n new.b = 2 ");
  expect(policiesSent([{ ...NEW_POLICY, rules }])[0]?.rules).toEqual([
    { condition: "new.a > 1", tables: ["d.t"], changes: ["update"] },
    { condition: "new.b = 2", tables: ["*"], changes: ["insert", "update", "delete"] },
  ]);
  expect(withRules(rules, "")).toEqual([]);
});
