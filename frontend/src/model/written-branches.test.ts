import { describe, expect, it } from "vitest";

import { branchesWritten } from "./written-branches";

describe("branches that statements write", () => {
  it.each([
    [["SELECT 1", "SHOW TABLES", "EXPLAIN UPDATE d.t SET a = 1", "WITH q AS (SELECT 1) SELECT * FROM q"], []],
    [["SELECT 1", "UPDATE d.t SET a = 1", "DELETE FROM d.t"], ["main"]],
    [["MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN DELETE"], ["main"]],
    [["MERGE BRANCH delays"], ["main"]],
    [["MERGE BRANCH `a b` TO `c``d`"], ["c`d"]],
    [["MERGE BRANCH delays INTO prod"], ["prod"]],
    [["MERGE BRANCH demo.delays TO demo.prod"], ["prod"]],
    [["MERGE BRANCH demo.delays"], ["main"]],
    [["MERGE BRANCH delays TO prod DRY RUN"], []],
    [["MERGE WITH SCHEMA EVOLUTION INTO d.t USING d.s ON t.id = s.id WHEN MATCHED THEN DELETE"], ["main"]],
    [["COPY INTO d.t FROM 'landing/' FILEFORMAT = CSV"], ["main"]],
    [["UPDATE d.t SET a = 1 DRY RUN"], []],
    [["RESTORE BRANCH prod TO VERSION AS OF 3"], ["prod"]],
    [["RESTORE BRANCH demo.prod TO VERSION AS OF 3"], ["prod"]],
    [["RESTORE TABLE d.t TO VERSION AS OF 3"], ["main"]],
    [["CREATE BRANCH b FROM main", "CREATE TEMP VIEW v AS SELECT 1", "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT 1", "DROP BRANCH b"], []],
    [["USE BRANCH demo.delays", "INSERT INTO d.t VALUES (1)", "USE BRANCH main", "DROP TABLE d.t"], ["delays", "main"]],
  ])("of %j are %j", (statements, branches) => {
    expect(branchesWritten(statements, "main")).toEqual(branches);
  });
});
