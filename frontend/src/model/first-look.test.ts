import { describe, expect, it } from "vitest";

import { CONFLICT, finding } from "../testing/findings";
import rules from "../testing/rules.json";
import { comparedObject } from "../testing/server";
import type { ComparedDetail, Rules } from "../api/resources";
import { evidenceOf, firstFinding } from "./first-finding";
import { firstTab, namedIn, reasonsOf, reasonText, withNames } from "./first-look";

const PAIR = { source: "delays", destination: "main" };
const { codes } = rules as unknown as Rules;
const detail = (more: Partial<ComparedDetail> = {}) => ({ ...comparedObject(0), ...more }) as unknown as ComparedDetail;
const clash = (code: string, more = {}) => finding({ verdict: "conflict", code, ...more });

describe("the reason of a conflict", () => {
  it("counts the rows that a statement of the other branch did not check", () => {
    expect(reasonText(CONFLICT, detail(), PAIR, codes)).toBe("main has 2 new rows that the UPDATE of delays did not check.");
    expect(reasonText({ ...CONFLICT, dest_versions: [99] }, detail(), PAIR, codes)).toBe("main has new rows that the UPDATE of delays did not check.");
  });

  it("counts the rows of one key that both changed", () => {
    expect(reasonText(clash("PRIMARY_KEY_CLASH", { details: { rows: 3 } }), detail(), PAIR, codes)).toBe("Both branches changed 3 rows, and differently.");
  });

  it("adds up what was done to rows of one key, and tells each reason once", () => {
    const cells = [clash("PRIMARY_KEY_CLASH", { details: { rows: 1 } }), clash("PRIMARY_KEY_CLASH", { dest_op: "delete", details: { rows: 2 } }), clash("COLUMN_MISSING")];
    expect(reasonsOf(detail({ cells }), PAIR, codes).map(({ text }) => text)).toEqual([
      "Both branches changed 3 rows, and differently.",
      "main dropped a column that delays changed.",
    ]);
  });

  it("names the branches in what else the rules say", () => {
    expect(reasonText(clash("COLUMN_TYPE_NARROWING"), detail(), PAIR, codes)).toBe("main's column type does not widen to delays'.");
    expect(withNames("The source of the target", { source: "$&", destination: "b" })).toBe("$& of b");
    expect(withNames("The source's rows", { source: "delays", destination: "b" })).toBe("delays' rows");
    expect(withNames("The destination's rows", { source: "a", destination: "b" })).toBe("b's rows");
    expect(withNames("Source and target both updated it.", { source: "a", destination: "b" })).toBe("a and b both updated it.");
  });

  it("exists for every conflict that the rules have", () => {
    const reasons = codes.map(({ code }) => reasonText(clash(code), detail(), PAIR, codes));
    expect(reasons.filter((text) => /\b(the source|the target|source and target)\b/i.test(text))).toEqual([]);
  });
});

describe("what shows a conflict", () => {
  it("is the rows that the other side inserted, the rows of both, or the definition", () => {
    expect(evidenceOf(CONFLICT)).toEqual({ kind: "side rows", side: "destination", change: "insert" });
    expect(evidenceOf(clash("PRIMARY_KEY_CLASH"))).toEqual({ kind: "conflicting rows" });
    expect(evidenceOf(clash("COLUMN_MISSING"))).toEqual({ kind: "columns" });
    expect(evidenceOf(clash("NAME_EXISTS"))).toBeUndefined();
  });

  it("opens the tab that has it", () => {
    expect(firstTab(detail())).toBe("rows");
    expect(firstTab(detail({ cells: [clash("COLUMN_MISSING")] }))).toBe("schema");
    expect(firstTab(detail({ cells: [clash("UNSET_SAME_PROPERTY")] }))).toBe("properties");
    expect(firstTab(detail({ cells: [], source_commits: [] }))).toBe("schema");
  });

  it("puts an open conflict before a decided one", () => {
    const open = clash("COLUMN_MISSING");
    expect(firstFinding({ cells: [finding({ verdict: "decided" }), finding({}), open] })).toBe(open);
    expect(firstFinding({ cells: [finding({})] })).toBeUndefined();
  });
});

it("finds the columns that a statement names", () => {
  expect(namedIn(["UPDATE t SET delay_reason = 'late' WHERE `Dep_Delay` > 300"], ["year", "dep_delay", "delay", "delay_reason"])).toEqual(["dep_delay", "delay_reason"]);
});
