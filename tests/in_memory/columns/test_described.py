"""Comments after CREATE, several alterations at once, CREATE TABLE LIKE, and what SHOW and DESCRIBE answer."""

from __future__ import annotations

import pytest

from lakeui.common.errors import NotFound
from tests.support.lake import Lake


@pytest.fixture
def made(lake: Lake) -> Lake:
    lake.sql(
        "CREATE TABLE d.t (id INT COMMENT 'the key', v STRING DEFAULT 'x', a STRING, b STRING, PRIMARY KEY (id, a, b)) "
        "PARTITIONED BY (a, b) COMMENT 'first' TBLPROPERTIES ('owner' = 'me')"
    )
    lake.sql("INSERT INTO d.t VALUES (1, 'p', 'de', 'ulm'), (2, 'q', 'de', 'bonn'), (3, 'r', 'fr', 'ulm')")
    lake.sql("CREATE VIEW d.seen AS SELECT id, v FROM d.t")
    return lake


def described(lake: Lake, text: str, branch: str = "main") -> dict[str, object]:
    return {str(row[0]): row[1] for row in lake.sql(text, branch).rows}


def test_comments_are_set_taken_away_and_merged(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("COMMENT ON TABLE d.t IS 'second'", "b")
    made.sql("COMMENT ON DATABASE d IS 'all'", "b")
    made.sql("COMMENT ON COLUMN d.t.v IS 'a value'", "b")
    made.merge("b")
    assert described(made, "DESCRIBE TABLE EXTENDED d.t")["Comment"] == "second"
    assert described(made, "DESCRIBE DATABASE d")["Comment"] == "all"
    assert described(made, "DESCRIBE d.t v")["comment"] == "a value"
    assert "COMMENT 'second'\nTBLPROPERTIES ('owner' = 'me')" in made.sql("SHOW CREATE TABLE d.t").rows[0][0]
    made.sql("COMMENT ON TABLE d.t IS NULL")
    made.sql("COMMENT ON COLUMN d.t.v IS NULL")
    assert described(made, "DESCRIBE TABLE EXTENDED d.t")["Comment"] == ""
    assert described(made, "DESCRIBE d.t v")["comment"] == ""


def test_two_table_comments_meet_as_two_property_values(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("COMMENT ON TABLE d.t IS 'theirs'", "b")
    made.sql("ALTER TABLE d.t SET TBLPROPERTIES ('comment' = 'ours')")
    found = made.dry_run("b")
    reported = [*found["conflicts"], *found["notes"]]
    assert "comment" in str(reported)


def test_several_alterations_are_one_version(made: Lake) -> None:
    before = made.head()
    made.sql("ALTER TABLE d.t ALTER COLUMN v COMMENT 'c', v SET DEFAULT 'y', v FIRST, id TYPE BIGINT")
    assert made.head() == before + 1
    rows = {row[0]: row for row in made.sql("DESCRIBE TABLE d.t").rows}
    assert rows["v"][3:] == ["'y'", "c"]
    assert rows["id"][1] == "bigint"
    assert next(iter(rows)) == "v"


def test_change_column_in_the_words_of_hive(made: Lake) -> None:
    made.sql("ALTER TABLE d.t CHANGE COLUMN id id BIGINT COMMENT 'k' AFTER v")
    rows = [row[:2] + row[4:] for row in made.sql("DESCRIBE TABLE d.t").rows]
    assert rows[:2] == [["v", "string", None], ["id", "bigint", "k"]]


def test_what_one_alteration_refuses_leaves_all_undone(made: Lake) -> None:
    head = made.head()
    with pytest.raises(NotFound):
        made.sql("ALTER TABLE d.t ALTER COLUMN v COMMENT 'c', nope COMMENT 'd'")
    assert made.head() == head


def test_a_table_like_another_copies_shape_without_rows(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("ALTER TABLE d.t ADD COLUMN later INT", "b")
    made.sql("CREATE TABLE d.u LIKE d.t TBLPROPERTIES ('k' = '1')")
    made.sql("CREATE TABLE d.w LIKE d.`t@b`")
    one, other = (made.sql(f"SHOW CREATE TABLE d.{name}").rows[0][0] for name in ("t", "u"))
    assert other == one.replace("`d`.`t`", "`d`.`u`").replace("'owner' = 'me'", "'k' = '1'")
    assert made.rows("d.u") == []
    assert [row[0] for row in made.sql("SHOW COLUMNS IN w IN d").rows] == ["id", "v", "a", "b", "later"]


@pytest.mark.parametrize("asked", ["DELTA", "iceberg"])
def test_another_format_makes_a_managed_table_with_notice(lake: Lake, asked: str) -> None:
    found = lake.sql(f"CREATE TABLE d.x (id INT) USING {asked}")
    assert found.extra["notices"][0].startswith(f"USING {asked.upper()}: the table is one of lakeui")
    assert "notices" not in lake.sql("CREATE TABLE d.y (id INT) USING parquet").extra
    copied = lake.sql(f"CREATE TABLE d.z USING {asked} AS SELECT id FROM d.x")
    assert copied.extra["notices"]


def test_purge_drops_and_says_that_files_stay(made: Lake) -> None:
    assert "UNDROP TABLE" in made.sql("DROP TABLE d.t PURGE").extra["notices"][0]
    made.sql("UNDROP TABLE d.t")
    assert len(made.rows("d.t")) == 3


@pytest.mark.parametrize(
    ("values", "left"), [("a = 'de'", [3]), ("b = 'ulm'", [2]), ("a = 'de', b = 'ulm'", [2, 3]), ("A = 'fr'", [1, 2])]
)
def test_partitions_go_by_part_of_their_values(made: Lake, values: str, left: list[int]) -> None:
    before = made.head()
    made.sql("CREATE BRANCH b")
    made.sql(f"ALTER TABLE d.t DROP PARTITION ({values})", "b")
    assert made.head("b") == before + 1
    assert made.rows("d.t", "b", "id") == [(i,) for i in left]
    made.merge("b")
    assert made.rows("d.t", columns="id") == [(i,) for i in left]


def test_partitions_that_are_only_declared_go_too(made: Lake) -> None:
    made.sql("ALTER TABLE d.t ADD PARTITION (a = 'it', b = 'rom')")
    made.sql("ALTER TABLE d.t DROP PARTITION (b = 'rom')")
    assert [row[0] for row in made.sql("SHOW PARTITIONS d.t").rows] == ["a=de/b=bonn", "a=de/b=ulm", "a=fr/b=ulm"]
    made.sql("ALTER TABLE d.t DROP IF EXISTS PARTITION (b = 'rom')")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SHOW TABLES IN d LIKE 't*'", ["t"]),
        ("SHOW TABLES IN d 'u|T'", ["t"]),
        ("SHOW TABLES LIKE 'none'", []),
        ("SHOW VIEWS IN d LIKE '*e*'", ["seen"]),
    ],
)
def test_names_like_a_pattern(made: Lake, text: str, names: list[str]) -> None:
    assert [row[1] for row in made.sql(text).rows] == names


def test_databases_and_functions_like_a_pattern(made: Lake) -> None:
    assert [row[0] for row in made.sql("SHOW DATABASES LIKE 'D'").rows] == ["d"]
    assert made.sql("SHOW SCHEMAS LIKE 'x*'").rows == []
    assert [row[0] for row in made.sql("SHOW FUNCTIONS LIKE 'sum|max*'").rows] == ["max", "max_by", "sum"]
    assert ["reflect"] not in made.sql("SHOW FUNCTIONS").rows


def test_tables_as_dbt_asks_for_them(made: Lake) -> None:
    found = made.sql("SHOW TABLE EXTENDED IN d LIKE '*'")
    assert [name for name, _ in found.columns] == ["namespace", "tableName", "isTemporary", "information"]
    table, view = found.rows
    assert table[:3] == ["d", "t", False]
    assert " |-- id: int (nullable = false)\n" in table[3]
    assert "Provider: parquet" in table[3]
    assert view[:3] == ["d", "seen", False]
    assert "Type: VIEW" in view[3]


def test_properties_of_a_table(made: Lake) -> None:
    made.sql("COMMENT ON TABLE d.t IS 'c'")
    assert made.sql("SHOW TBLPROPERTIES d.t").rows == [["comment", "c"], ["owner", "me"]]
    assert made.sql("SHOW TBLPROPERTIES d.t ('owner')").rows == [["owner", "me"]]


def test_the_detail_of_a_table(made: Lake) -> None:
    found = made.sql("DESCRIBE DETAIL d.t")
    detail = dict(zip((name for name, _ in found.columns), found.rows[0], strict=True))
    assert (detail["format"], detail["name"], detail["description"]) == ("parquet", "d.t", "first")
    assert (detail["partitionColumns"], detail["primaryKey"]) == (["a", "b"], ["id", "a", "b"])
    assert (detail["numFiles"], detail["numRows"]) == (3, 3)
    assert detail["properties"] == {"owner": "me"}
    made.sql("DELETE FROM d.t WHERE id = 1")
    assert made.sql("DESCRIBE DETAIL d.t").rows[0][7] == 2


def test_a_column_and_a_field_inside_of_one(made: Lake) -> None:
    assert described(made, "DESC d.t id") == {
        "col_name": "id",
        "data_type": "int",
        "comment": "the key",
        "nullable": "false",
        "default": None,
    }
    made.sql("CREATE TABLE d.n (s STRUCT<x: INT, y: STRUCT<z: DATE>>)")
    assert described(made, "DESCRIBE TABLE d.n s.Y.z")["data_type"] == "date"


def test_a_view_is_described_and_written_out(made: Lake) -> None:
    assert [row[:2] for row in made.sql("DESCRIBE d.seen").rows] == [["id", "int"], ["v", "string"]]
    extended = described(made, "DESCRIBE EXTENDED d.seen")
    assert extended["Type"] == "VIEW"
    assert extended["Query"] == "SELECT id, v FROM d.t"
    assert made.sql("SHOW CREATE TABLE d.seen").rows == [["CREATE VIEW `d`.`seen` AS SELECT id, v FROM d.t"]]
    assert [row[0] for row in made.sql("SHOW COLUMNS IN d.seen").rows] == ["id", "v"]


def test_schema_versions_of_a_branch_and_after_merging(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("ALTER TABLE d.t ADD COLUMN n INT", "b")
    made.sql("INSERT INTO d.t VALUES (9, 'z', 'de', 'ulm', 1)", "b")
    made.sql("ALTER TABLE d.t ADD COLUMN m INT", "b")
    states = [row[1] for row in made.sql("SHOW SCHEMA VERSIONS d.t", "b").rows]
    assert states == ["current", "visible", "visible"]
    made.merge("b")
    rows = made.sql("SHOW SCHEMA VERSIONS d.t").rows
    assert [row[1] for row in rows].count("current") == 1
    assert {row[1] for row in rows} - {"current", "visible"}
    assert rows[0][4].endswith("n int, m int")


def test_an_existing_view_stays_with_if_not_exists(made: Lake) -> None:
    before = made.head()
    assert made.sql("CREATE VIEW IF NOT EXISTS d.seen AS SELECT 1 AS x").version in (None, before)
    assert made.head() == before
    made.sql("CREATE VIEW IF NOT EXISTS d.ones AS SELECT 1 AS x")
    assert made.head() > before
