import { expect, it } from "vitest";

import { LIMITS, limitText, NEW_POLICY, policiesSent, policiesText, spotRowName, spotValues, withRules } from "./policies";

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

it("calls each limit and each drawn row by words", () => {
  expect(["conflicts", "max_share", ...LIMITS.map(({ limit }) => limit)].map(limitText).filter((text) => text.includes("_"))).toEqual([]);
  expect(limitText("rules: new.a > 0")).toBe("Rule new.a > 0");
  const row = { table: "d.t", change: "update", key: '{"id":7}', old: { id: 7, tier: "gold", n: 1 }, new: { id: 7, tier: null, n: 1 } } as const;
  expect(spotRowName(row)).toBe("d.t: updated row id = 7");
  expect(spotValues(row)).toEqual([{ column: "tier", old: "gold", new: "NULL" }]);
  expect(spotValues({ ...row, change: "delete", new: null }).map(({ column, new: after }) => [column, after])).toEqual([["id", undefined], ["tier", undefined], ["n", undefined]]);
});
