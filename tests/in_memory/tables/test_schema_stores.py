"""What a merge stores of schemas and segments: the worked example of semantics §4, and its audit record."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.models import InvisibleSchemaHistory, TableSchemaHistory
from catalog_app.selectors.snapshots import branch_get, catalog_get
from tests.support.lake import Lake


def _versions(lake: Lake, model: Any) -> list[int]:
    main = branch_get(catalog_get(lake.catalog), "main")
    return list(model.objects.filter(branch=main).order_by("version").values_list("version", flat=True))


@pytest.mark.parametrize("with_d3", [True, False])
def test_worked_example(lake: Lake, with_d3: bool) -> None:
    s0 = lake.sql("CREATE TABLE d.t (id INT)").version
    lake.sql("INSERT INTO d.t VALUES (0)")
    lake.sql("CREATE BRANCH b")
    s1 = lake.sql("ALTER TABLE d.t ADD COLUMN one INT", "b").version
    s2 = lake.sql("ALTER TABLE d.t ADD COLUMN two INT", "b").version
    d1 = lake.sql("INSERT INTO d.t VALUES (1)").version
    lake.sql("INSERT INTO d.t VALUES (2, 20, 200)", "b")
    s3 = lake.sql("ALTER TABLE d.t RENAME COLUMN two TO zwei", "b").version
    if with_d3:
        lake.sql("INSERT INTO d.t VALUES (3, 30, 300)", "b")
    result = lake.merge("b")
    merged = result["version"]

    assert _versions(lake, TableSchemaHistory) == [s0, merged]
    assert _versions(lake, InvisibleSchemaHistory) == ([s2, s3] if with_d3 else [s2])
    stored = {(row[3], row[4]) for row in lake.sql("SHOW SEGMENTS d.t").rows}
    assert stored == {(s0, True), (s2, False)} | ({(s3, False)} if with_d3 else set())
    assert [row[0] for row in lake.sql("DESCRIBE TABLE d.t").rows] == ["id", "one", "zwei"]
    expected = [(0, None, None), (1, None, None), (2, 20, 200)] + ([(3, 30, 300)] if with_d3 else [])
    assert lake.rows("d.t") == sorted(expected, key=repr)
    assert lake.rows(f"d.t VERSION AS OF {d1}") == [(0,), (1,)]

    (table,) = lake.audit(result["merge_id"])["tables"]
    assert table["discarded_schema_versions"] == [s1]
    assert table["invisible_schema_versions"] == ([s2, s3] if with_d3 else [s2])
    assert table["visible_schema_versions"] == [merged]
    assert {(item["schema_version"], item["is_visible"]) for item in table["new_segments"]} == stored - {(s0, True)}
    assert table["new_rows"] == len(expected) - 2


def test_a_new_table_exists_from_the_merge_on(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE TABLE d.n (id INT)", "b")
    lake.sql("INSERT INTO d.n VALUES (1)", "b")
    before = lake.head()
    lake.merge("b")
    assert lake.rows("d.n") == [(1,)]
    with pytest.raises(Exception, match=r"no table d\.n"):
        lake.sql(f"SELECT * FROM d.n VERSION AS OF {before}")
    assert lake.sql("SHOW TABLES IN d").rows == lake.sql("SHOW TABLES IN d", "b").rows


def test_every_attempt_leaves_one_record(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("DROP TABLE d.t")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
    lake.dry_run("b")
    lake.refused("b")
    assert [row[3] for row in lake.sql("SHOW MERGES").rows] == ["refused", "dry run"]
    record = lake.audit(lake.sql("SHOW MERGES LIMIT 1").rows[0][0])
    assert [item["code"] for item in record["conflicts"]] == ["OBJECT_DROPPED_ON_DEST"]
    assert (record["source_head"], record["destination_head"]) == (lake.head("b"), lake.head())
