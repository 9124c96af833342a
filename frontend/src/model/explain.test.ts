import { describe, expect, it } from "vitest";

import { explainTree } from "./explain";

const COLUMNS = [{ name: "step" }, { name: "detail" }];
const tree = (...rows: [string, string][]) => explainTree("EXPLAIN SELECT 1", COLUMNS, rows);

describe("the tree of EXPLAIN", () => {
  it("has the files of a scan beneath it, each with its reason", () => {
    const found = tree(
      ["update rows", "d.t"],
      ["scan", "d.t at version 36: 1 of 1,002 files, 336,778 rows, by `note` = 'a: 1 of 2 files, 3 rows, b'"],
      ["keep file", "5/data/a (1).parquet (2 rows): a row can match"],
      ["skip file", "5/data/b.parquet (1,000 rows): its statistics rule out every row"],
      ["more files", "902 more of d.t"],
      ["scan", "d.u at version 36: 0 of 0 files, 0 rows, no condition that statistics answer"],
    );
    expect(found?.map(({ step, files, more }) => [step, files.length, more])).toEqual([["update rows", 0, ""], ["scan", 2, "902 more of d.t"], ["scan", 0, ""]]);
    expect(found?.[1]?.files).toEqual([
      { isKept: true, path: "5/data/a (1).parquet", rows: "2", reason: "a row can match" },
      { isKept: false, path: "5/data/b.parquet", rows: "1,000", reason: "its statistics rule out every row" },
    ]);
    const [one] = tree(["scan", "d.v: 1 of 1 file, 1 row, by x"], ["keep file", "a.parquet (1 row): a row can match"]) ?? [];
    expect([one?.scan, one?.files]).toEqual([{ where: "d.v", kept: 1, all: 1, rows: "1", why: "by x" }, [{ isKept: true, path: "a.parquet", rows: "1", reason: "a row can match" }]]);
    expect(found?.[2]?.scan).toEqual({ where: "d.u at version 36", kept: 0, all: 0, rows: "0", why: "no condition that statistics answer" });
  });

  it("keeps the lines of a plan together, and every step that it does not know", () => {
    const found = tree(["scan", "files for WHEN NOT MATCHED BY SOURCE"], ["new step", "as it is"], ["plan", "Sort"], ["plan", "+- Scan"], ["run", "1 row in 0.1 s"]);
    expect(found?.map(({ step, detail, plan, scan }) => [step, detail, plan.length, scan])).toEqual([
      ["scan", "files for WHEN NOT MATCHED BY SOURCE", 0, undefined], ["new step", "as it is", 0, undefined], ["plan", "", 2, undefined], ["run", "1 row in 0.1 s", 0, undefined],
    ]);
  });

  it("loses no row", () => {
    const found = tree(["scan", "x"], ["keep file", "without its form"], ["skip file", "also"]);
    expect(found?.map(({ step, detail }) => [step, detail])).toEqual([["scan", "x"], ["keep file", "without its form"], ["skip file", "also"]]);
  });

  it("is of EXPLAIN alone", () => {
    expect(explainTree("SELECT step, detail FROM t", COLUMNS, [["scan", "x"]])).toBeUndefined();
    expect(explainTree("explain select 1", [{ name: "step" }], [["scan"]])).toBeUndefined();
  });
});
