"""Tables laid out by partition transforms: what is kept, read and written, and merges of both sides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pyiceberg.transforms import BucketTransform
from pyiceberg.types import IntegerType

from catalog_app.models import DataFile
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import AlreadyExists, InvalidValue, LakeError, NotFound, NotSupported, SyntaxProblem
from lakeui.frontdoor import Session, execute
from lakeui.sql.parameters import NO_PARAMETERS
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake

LAID = "CREATE TABLE d.t (id INT, at TIMESTAMP, region STRING, v INT) PARTITIONED BY (days(at), bucket(4, id), region)"


def laid_fill(lake: Lake) -> None:
    lake.sql(LAID)
    lake.sql(
        "INSERT INTO d.t VALUES (1, '2024-01-01 10:00:00', 'n', 1), (2, '2024-01-01 11:00:00', 'n', 2),"
        " (3, '2024-01-02 10:00:00', 's', 3), (4, NULL, 's', 4)"
    )
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def laid(begun: Begun) -> Lake:
    """Table d.t, laid by day and bucket, with four rows of two days, and branch b."""
    return begun(laid_fill)


def shown(lake: Lake, branch: str = "main") -> str:
    rows = {row[0]: row[1] for row in lake.sql("DESCRIBE EXTENDED d.t", branch).rows}
    return str(rows["Partitioned By"])


def layouts(lake: Lake) -> list[list[Any]]:
    """What the files say, in the order in which they were made."""
    files = DataFile.objects.filter(table__catalog=catalog_get(lake.catalog)).order_by("id")
    return [[[*laid[:2], laid[4]] for laid in file.layout] for file in files]


def bucket(value: int) -> list[Any]:
    return ["bucket", 4, BucketTransform(4).transform(IntegerType())(value)]


# -- what is kept -------------------------------------------------------------------------------------------------


def test_a_layout_is_shown_and_made_again(laid: Lake) -> None:
    assert shown(laid) == "region, days(`at`), bucket(4, `id`)"
    (row,) = laid.sql("SHOW CREATE TABLE d.t").rows
    assert "PARTITIONED BY (`region`, days(`at`), bucket(4, `id`))" in row[0]
    assert laid.sql("SHOW TBLPROPERTIES d.t").rows == []
    laid.sql(row[0].replace("`t`", "`u`"))
    laid.sql("CREATE TABLE d.like LIKE d.t")
    laid.sql("CREATE TABLE d.clone CLONE d.t")
    for table in ("u", "like", "clone"):
        (again,) = laid.sql(f"SHOW CREATE TABLE d.{table}").rows
        assert again[0].replace(f"`{table}`", "`t`") == row[0]


def test_files_say_what_holds_for_their_rows(laid: Lake) -> None:
    days = {1: 19723, 2: 19723, 3: 19724, 4: None}
    expected = [[["days", 0, day], bucket(value)] for value, day in days.items()]
    assert layouts(laid) == [item for place, item in enumerate(expected) if item not in expected[:place]]


def test_a_layout_follows_a_renamed_column(laid: Lake) -> None:
    laid.sql("ALTER TABLE d.t RENAME COLUMN at TO moment")
    assert shown(laid) == "region, days(`moment`), bucket(4, `id`)"


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("DROP COLUMN at", InvalidValue, "days.at. of t reads column at"),
        ("ADD PARTITION FIELD days(at)", AlreadyExists, "days of at"),
        ("ADD PARTITION FIELD hours(at)", AlreadyExists, "days of at"),
        ("ADD PARTITION FIELD bucket(8, id)", AlreadyExists, "bucket of id"),
        ("ADD PARTITION FIELD truncate(2, region)", NotSupported, "partition column"),
        ("ADD PARTITION FIELD region", NotSupported, "region as it is"),
        ("ADD PARTITION FIELD days(v)", InvalidValue, "type int, as v"),
        ("ADD PARTITION FIELD weeks(at)", NotSupported, "weeks"),
        ("ADD PARTITION FIELD bucket(id)", InvalidValue, "a number"),
        ("ADD PARTITION FIELD days(2, at)", InvalidValue, "no number"),
        ("ADD PARTITION FIELD bucket(0, v)", InvalidValue, "from 1 to"),
        ("ADD PARTITION FIELD truncate(9, v) AS x", NotSupported, "name of its own"),
        ("ADD PARTITION FIELD bucket(4, w)", NotFound, "column w"),
        ("DROP PARTITION FIELD bucket(8, id)", NotFound, "bucket.8, id."),
        ("DROP PARTITION FIELD months(at)", NotFound, "which has days"),
        ("DROP PARTITION (days(at) = 1)", SyntaxProblem, "="),
        ("DROP PARTITION (at = '2024-01-01')", InvalidValue, "region"),
        ("SET TBLPROPERTIES ('write.layout' = 'x')", InvalidValue, "write.layout"),
        ("UNSET TBLPROPERTIES ('write.layout')", InvalidValue, "partition fields"),
        ("CLUSTER BY (region)", InvalidValue, "partition column"),
        ("CLUSTER BY (w)", NotFound, "column w"),
    ],
)
def test_what_cannot_be_is_refused_by_name(laid: Lake, text: str, error: type[LakeError], says: str) -> None:
    head = laid.head()
    with pytest.raises(error, match=says):
        laid.sql(f"ALTER TABLE d.t {text}")
    assert laid.head() == head


def test_rows_say_nothing_of_what_an_overwrite_replaces(laid: Lake) -> None:
    dynamic = Session(catalog=laid.catalog, parameters=replace(NO_PARAMETERS, overwrites_dynamically=True))
    with pytest.raises(NotSupported, match=r"days\(`at`\), bucket") as refusal:
        execute("INSERT OVERWRITE d.t SELECT * FROM d.t", dynamic)
    assert "REPLACE WHERE" in str(refusal.value.remedy)
    execute("INSERT OVERWRITE d.t PARTITION (region = 'n') VALUES (9, NULL, 9)", dynamic)
    assert laid.rows("d.t", columns="id") == [(3,), (4,), (9,)]
    laid.sql("INSERT OVERWRITE d.t VALUES (10, NULL, 'n', 10)")
    assert laid.rows("d.t", columns="id") == [(10,)]


def test_partitions_by_columns_stay_as_they_are(laid: Lake) -> None:
    assert laid.sql("SHOW PARTITIONS d.t").rows == [["region=n"], ["region=s"]]
    laid.sql("ALTER TABLE d.t PARTITION (region = 'n') RENAME TO PARTITION (region = 'x')")
    laid.sql("ALTER TABLE d.t DROP PARTITION (region = 's')")
    laid.sql("INSERT OVERWRITE d.t PARTITION (region = 'x') VALUES (9, '2024-05-01 00:00:00', 9)")
    assert laid.rows("d.t", columns="id, region") == [(9, "x")]


# -- another layout -----------------------------------------------------------------------------------------------


def test_fields_are_added_dropped_replaced_for_new_files(laid: Lake) -> None:
    before = layouts(laid)
    laid.sql("ALTER TABLE d.t REPLACE PARTITION FIELD days(at) WITH months(at)")
    assert shown(laid) == "region, months(`at`), bucket(4, `id`)"
    laid.sql("ALTER TABLE d.t DROP PARTITION FIELD bucket(4, id)")
    laid.sql("ALTER TABLE d.t ADD PARTITION FIELD truncate(v, 10)")
    assert shown(laid) == "region, months(`at`), truncate(10, `v`)"
    laid.sql("INSERT INTO d.t VALUES (7, '2024-02-01 10:00:00', 'n', -1)")
    assert layouts(laid) == [*before, [["months", 0, 649], ["truncate", 10, -10]]]
    assert len(laid.rows("d.t")) == 5
    assert laid.breaches() == []


def test_updated_rows_lie_where_they_belong(laid: Lake) -> None:
    laid.sql("UPDATE d.t SET at = '2025-01-01 00:00:00' WHERE id = 1")
    assert layouts(laid)[-1] == [["days", 0, 20089], bucket(1)]
    assert laid.rows("d.t", columns="id, v") == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_a_layout_that_is_gone_is_a_value(laid: Lake) -> None:
    for field in ("days(at)", "bucket(4, id)"):
        laid.sql(f"ALTER TABLE d.t DROP PARTITION FIELD {field}")
    assert shown(laid) == "region"
    laid.sql("ALTER TABLE d.t DROP COLUMN at")
    assert len(laid.rows("d.t")) == 4


def test_clustering_is_shown_and_taken_away(laid: Lake) -> None:
    laid.sql("ALTER TABLE d.t CLUSTER BY (v, id)")
    (row,) = laid.sql("SHOW CREATE TABLE d.t").rows
    assert "CLUSTER BY (`v`, `id`)" in row[0]
    with pytest.raises(InvalidValue, match="clustered by column v"):
        laid.sql("ALTER TABLE d.t DROP COLUMN v")
    laid.sql("ALTER TABLE d.t CLUSTER BY NONE")
    (row,) = laid.sql("SHOW CREATE TABLE d.t").rows
    assert "CLUSTER" not in row[0]


def test_restore_brings_a_layout_back(laid: Lake) -> None:
    head = laid.head()
    laid.sql("ALTER TABLE d.t DROP PARTITION FIELD days(at)")
    laid.sql(f"RESTORE TABLE d.t TO VERSION AS OF {head}")
    assert shown(laid) == "region, days(`at`), bucket(4, `id`)"


# -- merges -------------------------------------------------------------------------------------------------------

ADD_V = "ALTER TABLE d.t ADD PARTITION FIELD bucket(2, v)"


def test_rows_of_other_layouts_merge_as_rows(laid: Lake) -> None:
    laid.sql(ADD_V, "b")
    laid.sql("INSERT INTO d.t VALUES (5, '2024-01-01 10:00:00', 'n', 5)", "b")
    laid.sql("DELETE FROM d.t WHERE id = 2", "b")
    laid.sql("UPDATE d.t SET v = 30 WHERE id = 3")
    laid.merge("b")
    assert laid.rows("d.t", columns="id, v") == [(1, 1), (3, 30), (4, 4), (5, 5)]
    assert shown(laid) == "region, days(`at`), bucket(4, `id`), bucket(2, `v`)"
    assert laid.breaches() == []


def test_same_layout_on_both_sides_merges_without_conflict(laid: Lake) -> None:
    laid.sql(ADD_V)
    laid.sql(ADD_V, "b")
    laid.merge("b")
    assert "bucket(2, `v`)" in shown(laid)


@pytest.mark.parametrize(
    "of_target",
    [
        "ADD PARTITION FIELD bucket(3, v)",
        "DROP PARTITION FIELD days(at)",
        "REPLACE PARTITION FIELD days(at) WITH years(at)",
    ],
)
@pytest.mark.parametrize("side", ["source", "destination"])
def test_different_layouts_are_a_conflict_that_is_decided(laid: Lake, of_target: str, side: str) -> None:
    laid.sql(ADD_V, "b")
    laid.sql(f"ALTER TABLE d.t {of_target}")
    on_source, on_destination = shown(laid, "b"), shown(laid)
    (found,) = laid.refused("b")
    assert found["code"] == "LAYOUT_DIFFERS"
    assert "the partition fields" in found["message"]
    assert "bucket(2, `v`)" in found["message"]
    laid.sql(f"MERGE BRANCH b TO main RESOLVE (TABLE d.t PROPERTY 'write.layout' TAKE {side.upper()})")
    assert shown(laid) == (on_source if side == "source" else on_destination)


@pytest.mark.parametrize("is_source", [True, False])
def test_layout_of_column_dropped_by_other_side_conflicts(laid: Lake, is_source: bool) -> None:
    of_source, other = ("b", "main") if is_source else ("main", "b")
    laid.sql(ADD_V, of_source)
    laid.sql("ALTER TABLE d.t DROP COLUMN v", other)
    (found,) = laid.refused("b")
    assert found["code"] == "LAYOUT_COLUMN_MISSING"
    assert found["details"]["column"] == "v"
    assert "partition fields" in found["message"]


@pytest.mark.parametrize("is_source", [True, False])
def test_layout_of_column_widened_too_far_conflicts(lake: Lake, is_source: bool) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v DECIMAL(18,2))")
    lake.sql("CREATE BRANCH b")
    of_source, other = ("b", "main") if is_source else ("main", "b")
    lake.sql(ADD_V, of_source)
    lake.sql("ALTER TABLE d.t ALTER COLUMN v TYPE DECIMAL(20,2)", other)
    (found,) = lake.refused("b")
    assert found["code"] == "LAYOUT_COLUMN_MISSING"
    assert "bucket(2, v)" in found["message"]
    assert "decimal(20,2)" in found["message"]
    part = "PROPERTY 'write.layout'" if is_source else "COLUMN v"
    lake.sql(f"MERGE BRANCH b TO main RESOLVE (TABLE d.t {part} TAKE DESTINATION)")


@pytest.mark.parametrize(
    "of_target", ["ALTER TABLE d.t REPLACE PARTITION FIELD days(at) WITH years(at)", "ALTER TABLE d.t CLUSTER BY (id)"]
)
def test_layout_left_out_by_replacement_conflicts_with_another(lake: Lake, of_target: str) -> None:
    lake.sql("CREATE TABLE d.t (id INT, at TIMESTAMP, v BIGINT) PARTITIONED BY (days(at)) CLUSTER BY (v)")
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE OR REPLACE TABLE d.t AS SELECT * FROM d.t", "b")
    (row,) = lake.sql("SHOW CREATE TABLE d.t", "b").rows
    assert not {"PARTITIONED", "CLUSTER", "PROPERTIES"} & set(row[0].split())
    lake.sql(of_target)
    assert lake.codes("b") == {"LAYOUT_DIFFERS"}


def test_two_clusterings_are_a_conflict(laid: Lake) -> None:
    laid.sql("ALTER TABLE d.t CLUSTER BY (v)", "b")
    laid.sql("ALTER TABLE d.t CLUSTER BY (id)")
    assert laid.codes("b") == {"LAYOUT_DIFFERS"}
