import { describe, expect, it } from "vitest";

import type { ImportColumn, ReadingChange } from "../api/resources";
import { columnsChosen, FILE, openChoices, refusalOf, type SaidChange } from "./import-choices";

const column = (source: string, more: Partial<ImportColumn> = {}): ImportColumn => ({
  source, name: source, type: "bigint", include: true, inferred_type: "bigint", misfit: null, ...more,
});
const said = (change: ReadingChange, status: SaidChange["status"], error: Error | null = null): SaidChange => ({ change, status, error });
const of = (source: string, choice: object): ReadingChange => ({ columns: [{ source, ...choice }] });
const refusal = new Error("integr is no type.");

describe("choices that the server has not taken", () => {
  it("are the last of each kind, whatever came of those before", () => {
    const open = openChoices([
      said(of("n", { name: "first" }), "success"),
      said(of("n", { name: "second" }), "pending"),
      said(of("n", { type: "integr" }), "error", refusal),
      said(of("code", { include: false }), "pending"),
    ]);
    expect(columnsChosen([column("n", { name: "first" }), column("code"), column("other")], open)).toEqual([
      column("n", { name: "second", type: "integr" }),
      column("code", { include: false }),
      column("other"),
    ]);
  });

  it("stay refused though another choice about the column was taken", () => {
    const before = [said(of("n", { type: "integr" }), "error", refusal), said(of("n", { name: "m" }), "success")];
    expect(refusalOf(openChoices(before))).toBe(refusal);
    expect(refusalOf(openChoices(before), "n")).toBe(refusal);
    expect(refusalOf(openChoices(before), "code")).toBeUndefined();
    expect(refusalOf(openChoices([...before, said(of("n", { type: "bigint" }), "success")]))).toBeUndefined();
  });

  it("are gone where the file is read another way, and stay where that was refused", () => {
    const before = [said(of("n", { type: "integr" }), "error", refusal)];
    expect(refusalOf(openChoices([...before, said({ header: false }, "success")]))).toBeUndefined();
    const failed = openChoices([...before, said({ encoding: "utf-8" }, "error", new Error("Line 2 is not text."))]);
    expect(refusalOf(failed, "n")).toBe(refusal);
    expect(refusalOf(failed, FILE)?.message).toBe("Line 2 is not text.");
  });

  it("say nothing of values that do not fit a type which is on its way", () => {
    const misfit = { row: 7, value: "many" };
    const columns = [column("n", { misfit })];
    expect(columnsChosen(columns, openChoices([said(of("n", { name: "m" }), "pending")]))[0]?.misfit).toEqual(misfit);
    expect(columnsChosen(columns, openChoices([said(of("n", { type: "string" }), "pending")]))[0]?.misfit).toBeNull();
  });
});
