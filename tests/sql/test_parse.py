"""Statements to values, one by one."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog_app.pruning.predicates import all_of
from lakeui.common.errors import ForbiddenStatement, LakeError, NestedTooDeeply, SyntaxProblem
from lakeui.sql import statements as s
from lakeui.sql.parse import FORBIDDEN, READERS, UNSUPPORTED, parse
from lakeui.sql.query import with_braces
from tests.sql.terms import term

T = s.TableName("t", "db")
U = s.TableName("u", "db")
DEV = s.BranchName("dev")
MERGE_ID = "0f8fad5b-d9cb-469f-a165-70867728950e"
DB = s.DatabaseName("d")
INT_A = s.ColumnDefinition("a", "int")

STATEMENTS: list[tuple[str, s.Statement]] = [
    ("CREATE CATALOG c", s.CreateCatalog("c")),
    ("create catalog if not exists `c d` comment 'x'", s.CreateCatalog("c d", True, "x")),
    ("DROP CATALOG IF EXISTS c", s.DropCatalog("c", True)),
    ("ALTER CATALOG c RENAME TO `c d`", s.RenameCatalog("c", "c d")),
    ("UNDROP CATALOG c", s.UndropCatalog("c")),
    ("UNDROP CATALOG c WITH ID '7' AS d", s.UndropCatalog("c", "7", "d")),
    ("SHOW DROPPED CATALOGS", s.ShowDroppedCatalogs()),
    ("SHOW CATALOGS;", s.ShowCatalogs()),
    ("ALTER CATALOG c SET PROPERTIES ('k' = 'v')", s.SetCatalogProperties("c", (("k", "v"),))),
    ("ALTER CATALOG c UNSET PROPERTIES ('k', 'l')", s.UnsetCatalogProperties("c", ("k", "l"))),
    ("DESC CATALOG EXTENDED c", s.DescribeCatalog("c")),
    ("USE CATALOG c", s.UseCatalog("c")),
    ("USE d", s.UseDatabase(s.DatabaseName("d"))),
    ("USE SCHEMA c.d", s.UseDatabase(s.DatabaseName("d", "c"))),
    ("USE DATABASE `d`", s.UseDatabase(s.DatabaseName("d"))),
    ("CREATE BRANCH dev", s.CreateBranch(DEV)),
    (
        "CREATE BRANCH IF NOT EXISTS c.dev FROM main",
        s.CreateBranch(s.BranchName("dev", "c"), True, s.BranchName("main")),
    ),
    ("CREATE BRANCH dev VERSION AS OF 3", s.CreateBranch(DEV, version=3)),
    ("CREATE BRANCH dev TIMESTAMP AS OF '2026-01-01'", s.CreateBranch(DEV, timestamp="2026-01-01")),
    ("CREATE BRANCH dev WITH EXPIRY '7 days'", s.CreateBranch(DEV, expires="7 days")),
    ("ALTER BRANCH dev SET EXPIRY '36 hours'", s.SetBranchExpiry(DEV, "36 hours")),
    ("ALTER BRANCH dev UNSET EXPIRY", s.SetBranchExpiry(DEV, None)),
    ("DROP BRANCH IF EXISTS dev", s.DropBranch(DEV, True)),
    ("ALTER BRANCH dev RENAME TO other", s.RenameBranch(DEV, "other")),
    ("ALTER BRANCH dev RESET TO PARENT", s.ResetBranch(DEV)),
    ("ALTER BRANCH dev RESET TO PARENT IF HEAD = 12", s.ResetBranch(DEV, 12)),
    ("SHOW BRANCHES", s.ShowBranches()),
    ("USE BRANCH `feature/x`", s.UseBranch(s.BranchName("feature/x"))),
    ("MERGE BRANCH dev", s.MergeBranch(DEV)),
    ("MERGE BRANCH dev INTO main", s.MergeBranch(DEV, s.BranchName("main"))),
    ("DROP BRANCH dev dry run;", s.DryRun(s.DropBranch(DEV))),
    ("merge branch c.dev to main dry run", s.MergeBranch(s.BranchName("dev", "c"), s.BranchName("main"), True)),
    ("MERGE BRANCH dev DRY RUN", s.MergeBranch(DEV, None, True)),
    ("UNDROP BRANCH dev", s.UndropBranch(DEV)),
    ("UNDROP BRANCH dev WITH ID '7' AS other", s.UndropBranch(DEV, "7", "other")),
    ("CREATE TAG t1", s.CreateTag(s.BranchName("t1"))),
    ("CREATE TAG t1 FROM dev VERSION AS OF 3", s.CreateTag(s.BranchName("t1"), DEV, 3)),
    ("CREATE TAG t1 TIMESTAMP AS OF '2026-01-01'", s.CreateTag(s.BranchName("t1"), timestamp="2026-01-01")),
    ("ALTER TAG t1 RENAME TO `v 1`", s.RenameTag(s.BranchName("t1"), "v 1")),
    ("DROP TAG t1", s.DropTag(s.BranchName("t1"))),
    ("SHOW TAGS", s.ShowTags()),
    ("RESTORE TABLE db.t TO VERSION AS OF 3", s.RestoreTable(T, s.PointInTime(3))),
    ("restore table db.t to timestamp as of 'x'", s.RestoreTable(T, s.PointInTime(timestamp="x"))),
    ("RESTORE DATABASE d TO VERSION AS OF 3", s.RestoreDatabase(DB, s.PointInTime(3))),
    ("RESTORE BRANCH dev TO VERSION AS OF 3", s.RestoreBranch(DEV, s.PointInTime(3))),
    (f"RESTORE MERGE {MERGE_ID}", s.RestoreMerge(MERGE_ID)),
    (f"RESTORE MERGE '{MERGE_ID}'", s.RestoreMerge(MERGE_ID)),
    ("UNDROP TABLE db.t", s.UndropTable(T)),
    ("UNDROP TABLE db.t WITH ID '7' AS u", s.UndropTable(T, "7", "u")),
    ("UNDROP TABLE db.t WITH ID 7", s.UndropTable(T, "7")),
    ("UNDROP DATABASE d WITH ID '7' AS e", s.UndropDatabase(DB, "7", "e")),
    ("VACUUM", s.Vacuum()),
    ("VACUUM DRY RUN", s.Vacuum(True)),
    ("VACUUM db.t", s.Vacuum(table=T)),
    ("VACUUM db.t DRY RUN", s.Vacuum(True, T)),
    ("BEGIN", s.BeginTransaction()),
    ("BEGIN TRANSACTION", s.BeginTransaction()),
    ("START TRANSACTION", s.BeginTransaction()),
    ("COMMIT", s.CommitTransaction()),
    ("ROLLBACK", s.RollbackTransaction()),
    ("SHOW CHANGES db.t FROM VERSION 1 TO VERSION 2", s.ShowChanges(T, 1, 2)),
    ("SHOW CHANGES db.t FROM BRANCH `a/b` TO VERSION 2", s.ShowChanges(T, s.NamedPoint("a/b"), 2)),
    (
        "SHOW CHANGES db.t FROM TAG x TO BRANCH branch",
        s.ShowChanges(T, s.NamedPoint("x", is_tag=True), s.NamedPoint("branch")),
    ),
    ("CREATE DATABASE d", s.CreateDatabase(DB)),
    (
        "CREATE SCHEMA IF NOT EXISTS d COMMENT 'x' WITH DBPROPERTIES ('k' = 'v', a.b = 1)",
        s.CreateDatabase(DB, True, "x", (("k", "v"), ("a.b", "1"))),
    ),
    ("DROP DATABASE IF EXISTS c.d CASCADE", s.DropDatabase(s.DatabaseName("d", "c"), True, True)),
    ("DROP NAMESPACE d RESTRICT", s.DropDatabase(DB)),
    ("ALTER DATABASE d RENAME TO e", s.RenameDatabase(DB, "e")),
    ("ALTER DATABASE d SET DBPROPERTIES ('k' = 'v')", s.SetDatabaseProperties(DB, (("k", "v"),))),
    ("ALTER DATABASE d UNSET DBPROPERTIES IF EXISTS ('k', 'l')", s.UnsetDatabaseProperties(DB, ("k", "l"), True)),
    ("ALTER DATABASE d UNSET DBPROPERTIES ('k')", s.UnsetDatabaseProperties(DB, ("k",))),
    ("SHOW DATABASES", s.ShowDatabases()),
    ("DESCRIBE DATABASE d", s.DescribeDatabase(DB)),
    ("CREATE TABLE db.t (a int)", s.CreateTable(T, columns=(INT_A,))),
    (
        "CREATE TABLE IF NOT EXISTS c.db.t (a LONG NOT NULL DEFAULT 1 + 2 COMMENT 'it''s', b DEC(5), c VARCHAR(5), "
        "PRIMARY KEY (A)) USING parquet PARTITIONED BY (c, d DATE) COMMENT 'z' TBLPROPERTIES ('k' = 'v')",
        s.CreateTable(
            s.TableName("t", "db", "c"),
            True,
            (
                s.ColumnDefinition("a", "bigint", False, "1 + 2", "it's"),
                s.ColumnDefinition("b", "decimal(5,0)"),
                s.ColumnDefinition("c", "varchar(5)"),
                s.ColumnDefinition("d", "date"),
            ),
            ("A",),
            ("c", "d"),
            "z",
            (("k", "v"),),
        ),
    ),
    (
        "CREATE TABLE db.t (a int PRIMARY KEY, b string DEFAULT 'x, y' NOT NULL)",
        s.CreateTable(
            T,
            columns=(s.ColumnDefinition("a", "int", False), s.ColumnDefinition("b", "string", False, "'x, y'")),
            primary_key=("a",),
        ),
    ),
    (
        "CREATE TABLE db.t PARTITIONED BY (a) AS SELECT a FROM db.u",
        s.CreateTable(
            T,
            partition_by=("a",),
            query=s.Query("SELECT `a` FROM `__lake_0` AS `u`", (s.TableReference("__lake_0", U),)),
        ),
    ),
    ("DROP TABLE IF EXISTS db.t", s.DropTable(T, True)),
    ("ALTER TABLE db.t RENAME TO db.u", s.RenameTable(T, U)),
    ("ALTER TABLE c.db.t RENAME TO u", s.RenameTable(s.TableName("t", "db", "c"), s.TableName("u", "db", "c"))),
    ("ALTER TABLE db.t SET TBLPROPERTIES (k = true)", s.SetTableProperties(T, (("k", "true"),))),
    ("ALTER TABLE db.t UNSET TBLPROPERTIES IF EXISTS ('k')", s.UnsetTableProperties(T, ("k",), True)),
    ("ALTER TABLE db.t ADD COLUMN a int", s.AddColumns(T, ((INT_A, None),))),
    (
        "ALTER TABLE db.t ADD COLUMNS (a int FIRST, b string DEFAULT 'x' AFTER a)",
        s.AddColumns(T, ((INT_A, s.Position()), (s.ColumnDefinition("b", "string", True, "'x'"), s.Position("a")))),
    ),
    ("ALTER TABLE db.t ADD COLUMN s.`b c`.a int", s.AddColumns(T, ((replace(INT_A, within=("s", "b c")), None),))),
    ("ALTER TABLE db.t DROP COLUMN a, s.x", s.DropColumns(T, ("a",), False, (("s", "x"),))),
    ("ALTER TABLE db.t RENAME COLUMN s.x TO b", s.RenameColumn(T, "s", "b", ("x",))),
    ("ALTER TABLE db.t ALTER COLUMN m.value TYPE bigint", s.AlterColumn(T, "m", s.ChangeType("bigint"), ("value",))),
    ("UPDATE db.t SET t.s.x = 1, db.t.a = 2", s.Update(T, (("a", "2"),), None, None, ((("s", "x"), "1"),))),
    ("ALTER TABLE db.t DROP COLUMN IF EXISTS a", s.DropColumns(T, ("a",), True)),
    ("ALTER TABLE db.t DROP COLUMNS (a, `b c`)", s.DropColumns(T, ("a", "b c"))),
    ("ALTER TABLE db.t RENAME COLUMN a TO b", s.RenameColumn(T, "a", "b")),
    ("ALTER TABLE db.t ALTER COLUMN a TYPE bigint", s.AlterColumn(T, "a", s.ChangeType("bigint"))),
    (
        "ALTER TABLE db.t ADD CONSTRAINT c CHECK (db.t.a > 0 AND (a < 9)) ENFORCED",
        s.AddConstraint(T, s.CheckConstraint("`t`.`a` > 0 AND (`a` < 9)", "c")),
    ),
    (
        "ALTER TABLE db.t REPLACE PARTITION FIELD day(a) WITH truncate(b, 4)",
        s.ChangeLayout(T, s.PartitionField("days", 0, "a"), s.PartitionField("truncate", 4, "b")),
    ),
    (
        "ALTER TABLE db.t ADD PARTITION FIELD bucket(16, a)",
        s.ChangeLayout(T, add=s.PartitionField("bucket", 16, "a")),
    ),
    ("ALTER TABLE db.t CLUSTER BY (a, `b c`)", s.ClusterBy(T, ("a", "b c"))),
    ("ALTER TABLE db.t CLUSTER BY NONE", s.ClusterBy(T)),
    ("OPTIMIZE db.t ZORDER BY (a, b)", s.Optimize(T, None, ("a", "b"))),
    ("ALTER TABLE db.t ADD CHECK (a > 0)", s.AddConstraint(T, s.CheckConstraint("`a` > 0"))),
    ("ALTER TABLE db.t DROP CONSTRAINT IF EXISTS c CASCADE", s.DropConstraint(T, "c", True)),
    (
        "CREATE TABLE db.t (a int CONSTRAINT c CHECK (a > 0))",
        s.CreateTable(T, columns=(INT_A,), checks=(s.CheckConstraint("`a` > 0", "c"),)),
    ),
    ("ALTER TABLE db.t ALTER COLUMN a SET NOT NULL", s.AlterColumn(T, "a", s.SetNotNull())),
    ("ALTER TABLE db.t ALTER COLUMN a DROP NOT NULL", s.AlterColumn(T, "a", s.DropNotNull())),
    ("ALTER TABLE db.t ALTER COLUMN a SET DEFAULT -3", s.AlterColumn(T, "a", s.SetDefault("-3"))),
    ("ALTER TABLE db.t ALTER COLUMN a DROP DEFAULT", s.AlterColumn(T, "a", s.DropDefault())),
    ("ALTER TABLE db.t ALTER COLUMN a COMMENT 'x'", s.AlterColumn(T, "a", s.SetComment("x"))),
    ("ALTER TABLE db.t ALTER COLUMN a FIRST", s.AlterColumn(T, "a", s.MoveColumn(s.Position()))),
    ("ALTER TABLE db.t ALTER COLUMN a AFTER b", s.AlterColumn(T, "a", s.MoveColumn(s.Position("b")))),
    (
        "ALTER TABLE db.t ADD IF NOT EXISTS PARTITION (a = 'x', b = NULL, c = DATE '2026-01-01')",
        s.AddPartition(T, ((("a", "x"), ("b", None), ("c", "2026-01-01")),), True),
    ),
    ("ALTER TABLE db.t ADD PARTITION (a = -3)", s.AddPartition(T, ((("a", "-3"),),))),
    (
        "ALTER TABLE db.t ADD PARTITION (a = 7L, b = -8s, c = 1.5BD, d = .5e1D, e == 9)",
        s.AddPartition(T, ((("a", "7"), ("b", "-8"), ("c", "1.5"), ("d", ".5e1"), ("e", "9")),)),
    ),
    ("ALTER TABLE db.t DROP IF EXISTS PARTITION (a = 1)", s.DropPartition(T, ((("a", "1"),),), True)),
    (
        "ALTER TABLE db.t ADD PARTITION (a = 1) PARTITION (a = 2), PARTITION (a = 3)",
        s.AddPartition(T, ((("a", "1"),), (("a", "2"),), (("a", "3"),))),
    ),
    (
        "ALTER TABLE db.t DROP PARTITION (a = 1), PARTITION (b = 2) PURGE",
        s.DropPartition(T, ((("a", "1"),), (("b", "2"),)), purge=True),
    ),
    (
        "ALTER TABLE db.t PARTITION (a = 1) RENAME TO PARTITION (a = 2)",
        s.RenamePartition(T, (("a", "1"),), (("a", "2"),)),
    ),
    ("SHOW TABLES", s.ShowTables()),
    ("SHOW TABLES IN c.d", s.ShowTables(s.DatabaseName("d", "c"))),
    ("DESCRIBE TABLE db.t", s.DescribeTable(T)),
    ("DESC EXTENDED db.t", s.DescribeTable(T, True)),
    ("SHOW TABLES IN d LIKE 'a*|b'", s.ShowTables(DB, "a*|b")),
    ("SHOW TABLE EXTENDED IN d LIKE '*'", s.ShowTableExtended(DB, "*")),
    ("SHOW TBLPROPERTIES db.t ('a.b')", s.ShowTableProperties(T, "a.b")),
    ("SHOW COLUMNS IN t IN db", s.ShowColumns(T)),
    ("SHOW SCHEMA VERSIONS db.t", s.ShowSchemaVersions(T)),
    ("ALTER TABLE db.t UNSET ROW FILTER FOR GROUP g", s.ChangeRestriction(T, None, "g")),
    ("ALTER TABLE db.t ALTER COLUMN a UNSET MASK FOR ROLE viewer", s.ChangeRestriction(T, "viewer", None, "a")),
    ("SHOW RESTRICTIONS", s.ShowRestrictions()),
    ("SHOW RESTRICTIONS ON db.t", s.ShowRestrictions(T)),
    ("SHOW FUNCTIONS LIKE 'm*'", s.ShowFunctions("m*")),
    ("DESCRIBE db.t s.x", s.DescribeColumn(T, ("s", "x"))),
    ("DESC DETAIL db.t", s.DescribeDetail(T)),
    ("COMMENT ON TABLE db.t IS NULL", s.SetTableProperties(T, (("comment", ""),))),
    ("COMMENT ON SCHEMA d IS 'x'", s.SetDatabaseProperties(DB, (("comment", "x"),))),
    ("COMMENT ON COLUMN db.t.a IS 'x'", s.AlterColumn(T, "a", s.SetComment("x"))),
    (
        "ALTER TABLE db.t ALTER COLUMN a TYPE INT, b COMMENT 'x'",
        s.AlterColumns(T, (s.AlterColumn(T, "a", s.ChangeType("int")), s.AlterColumn(T, "b", s.SetComment("x")))),
    ),
    (
        "ALTER TABLE db.t REPLACE COLUMNS (a INT NOT NULL COMMENT 'x', b STRING)",
        s.ReplaceColumns(
            T, (s.ColumnDefinition("a", "int", nullable=False, comment="x"), s.ColumnDefinition("b", "string"))
        ),
    ),
    ("CREATE TABLE db.t LIKE db.t USING delta", s.CreateTable(T, like=T, asked_format="DELTA")),
    ("CREATE TABLE IF NOT EXISTS db.t CLONE db.t", s.CreateTable(T, if_not_exists=True, clone=T)),
    (
        "CREATE TABLE db.t SHALLOW CLONE c.db.`u@b` VERSION AS OF 3 TBLPROPERTIES ('k' = '1')",
        s.CreateTable(T, properties=(("k", "1"),), clone=s.TableName("u", "db", "c", "b", 3)),
    ),
    (
        "CREATE TABLE db.t CLONE db.t TIMESTAMP AS OF '2026-01-01'",
        s.CreateTable(T, clone=s.TableName("t", "db", timestamp="2026-01-01")),
    ),
    ("CREATE OR REPLACE TABLE db.t (a int)", s.CreateTable(T, columns=(INT_A,), replaces=True)),
    ("REPLACE TABLE db.t (a int)", s.CreateTable(T, columns=(INT_A,), replaces=True, must_exist=True)),
    (
        "CREATE OR REPLACE TABLE db.t (PRIMARY KEY (a)) AS SELECT 1 AS a",
        s.CreateTable(T, primary_key=("a",), query=s.Query("SELECT 1 AS `a`"), replaces=True),
    ),
    ("DROP TABLE db.t PURGE", s.DropTable(T, purge=True)),
    ("EXPLAIN DELETE FROM db.t", s.Explain(s.Delete(T))),
    ("EXPLAIN ANALYZE DELETE FROM db.t", s.DryRun(s.Delete(T), measured=True)),
    ("SHOW CREATE TABLE db.t", s.ShowCreateTable(T)),
    ("SHOW PARTITIONS db.t", s.ShowPartitions(T)),
    ("SHOW PARTITIONS db.t PARTITION (a = 1)", s.ShowPartitions(T, (("a", "1"),))),
    ("SHOW PROFILE db.t", s.ShowProfile(T)),
    ("SHOW PROFILE db.t VERSION AS OF 3", s.ShowProfile(replace(T, version=3))),
    (
        "CREATE OR REPLACE VIEW db.v AS SELECT 1 -- one",
        s.CreateView(s.TableName("v", "db"), s.Query("SELECT 1"), "SELECT 1", True),
    ),
    (
        "CREATE VIEW db.v (a COMMENT 'x') TBLPROPERTIES ('k' = '1') COMMENT 'c' AS SELECT 1 AS a",
        s.CreateView(
            s.TableName("v", "db"),
            s.Query("SELECT 1 AS `a`"),
            "SELECT 1 AS a",
            columns=(s.ViewColumn("a", "x"),),
            properties=(("k", "1"), ("comment", "c")),
        ),
    ),
    (
        "CREATE OR REPLACE TEMP VIEW v (a) AS SELECT 1",
        s.CreateTemporaryView(
            "v",
            s.Query("SELECT * FROM (SELECT 1) AS `v`(`a`)"),
            "SELECT * FROM (\nSELECT 1\n) AS `v` (`a`)",
            True,
        ),
    ),
    ("DROP TEMPORARY VIEW IF EXISTS v", s.DropTemporaryView("v", True)),
    (
        "CREATE OR REPLACE TEMP FUNCTION f(x INT) RETURNS BIGINT RETURN x + 1",
        s.CreateTemporaryFunction(
            "f",
            s.Query("SELECT CAST(CAST(NULL AS INT) + 1 AS BIGINT) AS `f(NULL)`"),
            "(`x` int) RETURNS bigint RETURN `x` + 1",
            True,
        ),
    ),
    ("DROP TEMPORARY FUNCTION IF EXISTS f", s.DropTemporaryFunction("f", True)),
    ("DESC FUNCTION EXTENDED f", s.DescribeFunction("f", True)),
    ("SHOW USER FUNCTIONS", s.ShowFunctions(None, True)),
    ("DESCRIBE QUERY SELECT 1", s.DescribeQuery(s.Query("SELECT 1"))),
    ("SET spark.sql.sources.partitionOverwriteMode=DYNAMIC", s.SetPartitionOverwrite(True)),
    ("ALTER VIEW db.v AS SELECT 1", s.AlterView(s.TableName("v", "db"), s.Query("SELECT 1"), "SELECT 1")),
    ("ALTER VIEW db.v RENAME TO w", s.RenameView(s.TableName("v", "db"), s.TableName("w", "db"))),
    ("ALTER VIEW db.v SET TBLPROPERTIES ('k' = '1')", s.SetViewProperties(s.TableName("v", "db"), (("k", "1"),))),
    (
        "ALTER VIEW db.v UNSET TBLPROPERTIES IF EXISTS ('k')",
        s.UnsetViewProperties(s.TableName("v", "db"), ("k",), True),
    ),
    ("DROP VIEW IF EXISTS db.t", s.DropView(T, True)),
    ("SHOW VIEWS FROM d", s.ShowViews(DB)),
    ("DESCRIBE HISTORY db.t", s.DescribeHistory(T)),
    ("DESCRIBE HISTORY db.t LIMIT 1", s.DescribeHistory(T, 1)),
    ("RESTORE db.t TO VERSION AS OF 3", s.RestoreTable(T, s.PointInTime(version=3))),
    ("OPTIMIZE db.t ZORDER BY a, b", s.Optimize(T, None, ("a", "b"))),
    ("COMMIT TRANSACTION", s.CommitTransaction()),
    ("ROLLBACK WORK", s.RollbackTransaction()),
    ("USE CATALOG 'c'", s.UseCatalog("c")),
    ("ALTER TABLE db.t ALTER a TYPE BIGINT", s.AlterColumn(T, "a", s.ChangeType("bigint"))),
    ("SHOW HISTORY LIMIT 5", s.ShowHistory(5)),
    ("SHOW HISTORY", s.ShowHistory()),
    ("SHOW SEGMENTS db.t", s.ShowSegments(T)),
    ("SHOW MERGES LIMIT 5", s.ShowMerges(5)),
    ("SHOW QUERIES", s.ShowQueries()),
    (
        "CANCEL QUERY '6F9619FF-8B86-D011-B42D-00CF4FC964FF'",
        s.CancelQuery("6f9619ff-8b86-d011-b42d-00cf4fc964ff"),
    ),
    ("TABLE db.t", s.Select(s.Query("SELECT * FROM `__lake_0` AS `t`", (s.TableReference("__lake_0", T),)))),
    ("INSERT INTO db.t VALUES (1, DEFAULT), (-2, 'x')", s.Insert(T, values=(("1", "DEFAULT"), ("-2", "'x'")))),
    ("INSERT INTO db.t VALUES 1, 2", s.Insert(T, s.Query("VALUES (1), (2)"), values=(("1",), ("2",)))),
    ("INSERT INTO TABLE db.t (a, b) SELECT 1, 2", s.Insert(T, s.Query("SELECT 1, 2"), ("a", "b"))),
    ("INSERT INTO db.t BY NAME SELECT 1 AS a", s.Insert(T, s.Query("SELECT 1 AS `a`"), by_name=True)),
    (
        "INSERT WITH SCHEMA EVOLUTION INTO TABLE db.t BY NAME SELECT 1 AS a",
        s.Insert(T, s.Query("SELECT 1 AS `a`"), by_name=True, with_schema_evolution=True),
    ),
    (
        "INSERT WITH SCHEMA EVOLUTION OVERWRITE db.t SELECT 1 AS a",
        s.Insert(T, s.Query("SELECT 1 AS `a`"), overwrite=True, with_schema_evolution=True),
    ),
    ("INSERT INTO db.t (SELECT 1)", s.Insert(T, s.Query("(SELECT 1)"))),
    (
        "INSERT OVERWRITE db.t PARTITION (a = 'x', b) SELECT 1",
        s.Insert(T, s.Query("SELECT 1"), overwrite=True, partition=(("a", "'x'"), ("b", None))),
    ),
    ("DELETE FROM db.t", s.Delete(T)),
    (
        "DELETE FROM db.t AS x WHERE x.a > 5 AND c = 'y'",
        s.Delete(T, "x", s.Condition("`x`.`a` > 5 AND `c` = 'y'", all_of([term("a", ">", 5), term("c", "=", "y")]))),
    ),
    ("DELETE FROM db.t WHERE db.t.a", s.Delete(T, None, s.Condition("`t`.`a`"))),
    (
        "UPDATE db.t SET a = a + 1, t.b = DEFAULT, db.t.c = CASE WHEN a THEN 1 END WHERE a <= 2",
        s.Update(
            T,
            (("a", "`a` + 1"), ("b", "DEFAULT"), ("c", "CASE WHEN `a` THEN 1 END")),
            None,
            s.Condition("`a` <= 2", term("a", "<=", 2)),
        ),
    ),
    ("UPDATE db.t x SET x.a = 1", s.Update(T, (("a", "1"),), "x")),
    (
        "MERGE INTO db.t USING db.u ON t.id = u.id AND 3 < t.p WHEN MATCHED THEN DELETE",
        s.MergeInto(
            T,
            s.Query("SELECT * FROM `__lake_0`", (s.TableReference("__lake_0", U),)),
            s.Condition("`t`.`id` = `u`.`id` AND 3 < `t`.`p`", term("p", ">", 3)),
            (s.MergeClause(s.MergeFamily.MATCHED, s.MergeDelete()),),
            "t",
            "u",
            keys=(s.MergeKey("id", "`u`.`id`"),),
        ),
    ),
    (
        "MERGE INTO db.t USING db.u USING (id, `a b`) WHEN MATCHED THEN DELETE RETURNING merge_action(), *, id",
        s.MergeInto(
            T,
            s.Query("SELECT * FROM `__lake_0`", (s.TableReference("__lake_0", U),)),
            s.Condition("`t`.`id` = `u`.`id` AND `t`.`a b` = `u`.`a b`"),
            (s.MergeClause(s.MergeFamily.MATCHED, s.MergeDelete()),),
            "t",
            "u",
            keys=(s.MergeKey("id", "`u`.`id`"), s.MergeKey("a b", "`u`.`a b`")),
            is_by_keys_alone=True,
            returning=("merge_action", "*", "id"),
        ),
    ),
    (
        """merge with schema evolution into db.t as x using (values (1, 2)) s (k, v) on x.id <=> s.k + 1
        when matched and s.v = case when x.v > 1 then 1 else 2 end then update set x.v = s.v, w = default
        when matched then update set *
        when not matched by target and k > 1 then insert (id, x.v) values (s.k, default)
        when not matched then insert *
        when not matched by source and v = 4 then update set v = v + 1
        when not matched by source then delete""",
        s.MergeInto(
            T,
            s.Query("VALUES (1, 2)"),
            s.Condition("`x`.`id` IS NOT DISTINCT FROM `s`.`k` + 1"),
            (
                s.MergeClause(
                    s.MergeFamily.MATCHED,
                    s.MergeUpdate((("v", "`s`.`v`"), ("w", "DEFAULT"))),
                    s.Condition("`s`.`v` = CASE WHEN `x`.`v` > 1 THEN 1 ELSE 2 END"),
                ),
                s.MergeClause(s.MergeFamily.MATCHED, s.MergeUpdate()),
                s.MergeClause(
                    s.MergeFamily.NOT_MATCHED,
                    s.MergeInsert((("id", "`s`.`k`"), ("v", "DEFAULT"))),
                    s.Condition("`k` > 1"),
                ),
                s.MergeClause(s.MergeFamily.NOT_MATCHED, s.MergeInsert()),
                s.MergeClause(
                    s.MergeFamily.NOT_MATCHED_BY_SOURCE,
                    s.MergeUpdate((("v", "`x`.`v` + 1"),)),
                    s.Condition("`x`.`v` = 4", term("v", "=", 4)),
                ),
                s.MergeClause(s.MergeFamily.NOT_MATCHED_BY_SOURCE, s.MergeDelete()),
            ),
            "x",
            "s",
            ("k", "v"),
            (s.MergeKey("id", "`s`.`k` + 1", null_safe=True),),
            is_by_keys_alone=True,
            with_schema_evolution=True,
            on_present="`x`.`id` = `s`.`k` + 1",
        ),
    ),
    (
        "MERGE INTO db.t USING db.u ON (t.a <=> u.a AND t.b = u.b) AND t.c <=> 4 WHEN MATCHED THEN DELETE",
        s.MergeInto(
            T,
            s.Query("SELECT * FROM `__lake_0`", (s.TableReference("__lake_0", U),)),
            s.Condition(
                "(`t`.`a` IS NOT DISTINCT FROM `u`.`a` AND `t`.`b` = `u`.`b`) AND `t`.`c` IS NOT DISTINCT FROM 4",
                term("c", "=", 4),
            ),
            (s.MergeClause(s.MergeFamily.MATCHED, s.MergeDelete()),),
            "t",
            "u",
            keys=(s.MergeKey("a", "`u`.`a`", null_safe=True), s.MergeKey("b", "`u`.`b`")),
            on_present="(`t`.`a` = `u`.`a` AND `t`.`b` = `u`.`b`) AND `t`.`c` IS NOT DISTINCT FROM 4",
        ),
    ),
    (
        "MERGE INTO db.t USING db.`u@dev` VERSION AS OF 3 AS s ON db.t.id = s.id WHEN NOT MATCHED THEN INSERT *",
        s.MergeInto(
            T,
            s.Query(
                "SELECT * FROM `__lake_0`",
                (s.TableReference("__lake_0", s.TableName("u", "db", at="dev", version=3)),),
            ),
            s.Condition("`t`.`id` = `s`.`id`"),
            (s.MergeClause(s.MergeFamily.NOT_MATCHED, s.MergeInsert()),),
            "t",
            "s",
            keys=(s.MergeKey("id", "`s`.`id`"),),
            is_by_keys_alone=True,
        ),
    ),
    ("TRUNCATE TABLE db.t", s.Truncate(T)),
    ("COPY INTO db.t FROM '/x' FILEFORMAT = PARQUET", s.CopyInto(T, "/x", "PARQUET")),
    (
        "COPY INTO db.t FROM 's3://b/x' FILEFORMAT = csv PATTERN = '*.csv'"
        " FORMAT_OPTIONS ('sep' = ';', 'header' = 'true') COPY_OPTIONS ('force' = 'true')",
        s.CopyInto(T, "s3://b/x", "CSV", (), "*.csv", (("sep", ";"), ("header", "true")), force=True),
    ),
    ("COPY INTO db.t FROM '/x' FILEFORMAT = JSON FILES = ('a', 'b')", s.CopyInto(T, "/x", "JSON", ("a", "b"))),
    ("CREATE TABLE db.t FROM ICEBERG '/x'", s.CreateTable(T, taken=s.OutsideTable("ICEBERG", "/x"))),
    ("OPTIMIZE db.t WHERE a = 1", s.Optimize(T, s.Condition("`a` = 1", term("a", "=", 1)))),
    ("OPTIMIZE db.t", s.Optimize(T)),
]


@pytest.mark.parametrize(("text", "expected"), STATEMENTS, ids=[text[:60] for text, _ in STATEMENTS])
def test_statements(text: str, expected: s.Statement) -> None:
    assert parse(text) == expected
    assert parse(f"  /* a /* nested */ one */ {text} -- end\n;;") == expected


def test_every_statement_value_is_outcome_of_some_text() -> None:
    """But SELECT, which the case files cover, all values are in the table above."""
    assert {type(expected) for _, expected in STATEMENTS} == set(s.Statement.__args__)


TYPES = [
    ("INTEGER", "int"),
    ("BYTE", "tinyint"),
    ("SHORT", "smallint"),
    ("Long", "bigint"),
    ("REAL", "float"),
    ("numeric( 12 , 3 )", "decimal(12,3)"),
    ("DECIMAL", "decimal(10,0)"),
    ("char(3)", "char(3)"),
    ("TIMESTAMP_NTZ", "timestamp_ntz"),
    ("timestamp_ltz", "timestamp"),
    ("ARRAY<MAP<STRING, ARRAY<INT>>>", "array<map<string,array<int>>>"),
    ("STRUCT<a: INT, `b c` STRING, d: STRUCT<>>", "struct<a:int,`b c`:string,d:struct<>>"),
]


@pytest.mark.parametrize(("written", "canonical"), TYPES)
def test_types(written: str, canonical: str) -> None:
    statement = parse(f"CREATE TABLE db.t (a {written} NOT NULL)")
    assert isinstance(statement, s.CreateTable)
    assert statement.columns == (s.ColumnDefinition("a", canonical, nullable=False),)


PROBLEMS = [
    ("select 1 +\n  from db.t where", 2, None, None),
    ("selec 1", 1, 1, "selec"),
    ("drop tble db.t", 1, 1, "drop"),
    ("drop table db.t\n  now", 2, 3, "now"),
    ("select a\nfrom db.t\nwhere a = = 3", 3, 11, "="),
    ("update db.t set a = 1 b", 1, 23, "b"),
    ("create table db.t (a int,)", 1, 26, ")"),
]


@pytest.mark.parametrize(("text", "line", "column", "near"), PROBLEMS)
def test_a_syntax_problem_points_at_the_word(text: str, line: int, column: int | None, near: str | None) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse(text)
    details = caught.value.details
    assert details["line"] == line
    assert column is None or details["column"] == column
    assert near is None or details["near"] == near


@pytest.mark.parametrize(
    "text", ["SELECT FROM WHERE", "SELECT 1 +", "SELECT CASE WHEN", "SELECT FROM", "SELECT a FROM d.t WHERE WHERE"]
)
def test_a_syntax_problem_names_nothing_of_the_parser(text: str) -> None:
    with pytest.raises(SyntaxProblem) as problem:
        parse(text)
    assert not any(word in problem.value.message for word in ("<", "Token", "sqlglot", "class"))


def test_an_unknown_function_names_the_nearest() -> None:
    with pytest.raises(ForbiddenStatement) as caught:
        parse("select cuont(1)")
    assert caught.value.details == {"function": "cuont", "nearest": "count"}


def test_beginnings_do_not_shadow_each_other() -> None:
    for phrase in [*UNSUPPORTED, *FORBIDDEN]:
        taken = [known for known in READERS if (phrase + " ").startswith(known + " ")]
        assert taken in ([], ["DESCRIBE"]), phrase


def test_lexer_and_spark_read_quotes_in_strings_alike() -> None:
    statement = parse(
        r"""alter table db.t set tblproperties ('a' = 'it''s \'x\' \\ \u00e9 \ud83d\ude00 \101 \%', "b" = r'\n')"""
    )
    assert isinstance(statement, s.SetTableProperties)
    assert dict(statement.properties) == {"a": "it's 'x' \\ \u00e9 \U0001f600 A \\%", "b": "\\n"}


def test_braces_and_placeholders_for_the_engine() -> None:
    statement = parse("select '{`__lake_0`}', t.a from db.t")
    assert isinstance(statement, s.Select)
    assert with_braces(statement.query) == "SELECT '{{`__lake_0`}}', `t`.`a` FROM {__lake_0} AS `t`"


WORDS = """
select from db . t where ( ) , ; ' " ` a 1 = and in with as insert into values update set delete /* */ -- reflect
java_method parquet `/x` version of timestamp lateral view explode join on using 'x' default case when end { } [ ]
:: -> : ? @ $ ! < > | & ^ ~ \\ create table drop alter branch merge int null not exists union all order by over
"""


def read(text: str) -> s.Statement | LakeError:
    """The statement, or our own error; any other error is raised."""
    try:
        return parse(text)
    except LakeError as error:
        return error


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS.split()), max_size=25).map(" ".join) | st.text(max_size=60))
def test_any_text_is_a_statement_or_our_error(text: str) -> None:
    for head in ("", "select ", "delete from db.t where "):
        outcome = read(head + text)
        if isinstance(outcome, LakeError):
            assert outcome.message
        else:
            assert type(outcome) in s.Statement.__args__


@pytest.mark.parametrize("deep", ["STRUCT<a:", "ARRAY<", "MAP<INT, "])
def test_a_deep_type_is_refused_by_its_depth(deep: str) -> None:
    kind = deep * 500 + "INT" + ">" * 500
    for text in (f"CREATE TABLE d.t (c {kind})", f"ALTER TABLE d.t ADD COLUMN c {kind}"):
        with pytest.raises(NestedTooDeeply, match="50 levels"):
            parse(text)
    assert parse(f"CREATE TABLE d.t (c {deep * 50}INT{'>' * 50})")


def test_deep_nesting_is_refused_in_words() -> None:
    with pytest.raises(SyntaxProblem, match="nested too deeply"):
        parse("select " + "(" * 5000 + "1" + ")" * 5000)


@given(st.text(min_size=1, max_size=20).filter(lambda value: "\\" not in value))
def test_a_string_survives_reading_and_writing(value: str) -> None:
    text = "select '" + value.replace("'", "''") + "'"
    statement = parse(text)
    assert isinstance(statement, s.Select)
    assert parse(statement.query.text) == statement


@given(st.text(min_size=1, max_size=20).filter(lambda value: value.strip() and not value.lower().startswith("__lake_")))
def test_a_quoted_name_survives_reading_and_writing(value: str) -> None:
    written = "`" + value.replace("`", "``") + "`"
    name = unicodedata.normalize("NFC", written)
    statement = parse(f"select t.{written} as {written} from db.t")
    assert isinstance(statement, s.Select)
    assert statement.query.text == f"SELECT `t`.{name} AS {name} FROM `__lake_0` AS `t`"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE d.t (id INT) COMMENT 'a\\0'",
        "ALTER TABLE d.t SET TBLPROPERTIES ('a' = '\\0')",
        "ALTER TABLE d.t ADD PARTITION (p = 'a\\0b')",
    ],
)
def test_a_stored_text_cannot_hold_nul(text: str) -> None:
    with pytest.raises(SyntaxProblem, match="NUL"):
        parse(text)


def test_an_expression_may_hold_nul() -> None:
    assert parse("DELETE FROM d.t WHERE v = '\\0'")


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("ALTER TABLE db.t SET ROW FILTER ((a > 1) AND b = ')') FOR ROLE viewer", "(a > 1) AND b = ')'"),
        ("ALTER TABLE db.t ALTER COLUMN a SET MASK (NULL) FOR ROLE viewer", "NULL"),
    ],
)
def test_an_expression_of_a_restriction_keeps_its_place(text: str, expression: str) -> None:
    statement = parse(text)
    assert isinstance(statement, s.ChangeRestriction)
    assert statement.expression == expression.rjust(text.index(expression) + len(expression))
