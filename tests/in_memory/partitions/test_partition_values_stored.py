"""A value that a statement gives for a partition is one that the column stores, in the form that rows have."""

from __future__ import annotations

import pytest

from catalog_app.domain.partitions import is_partition_text
from lakeui.common.errors import AlreadyExists, InvalidValue, LakeError
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def made_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, n INT) PARTITIONED BY (n)")
    lake.sql("INSERT INTO d.t VALUES (1, 7), (2, 9)")


@pytest.fixture
def made(begun: Begun) -> Lake:
    return begun(made_fill)


def partitions(lake: Lake) -> list[str]:
    return [row[0] for row in lake.sql("SHOW PARTITIONS d.t").rows]


def test_declared_partition_has_value_of_column(made: Lake) -> None:
    with pytest.raises(AlreadyExists, match="n = 7"):
        made.sql("ALTER TABLE d.t ADD PARTITION (n = '07')")
    made.sql("ALTER TABLE d.t ADD PARTITION (n = '08')")
    assert partitions(made) == ["n=7", "n=8", "n=9"]


def test_a_renamed_partition_is_replaced_by_its_value(made: Lake) -> None:
    made.sql("ALTER TABLE d.t PARTITION (n = '07') RENAME TO PARTITION (n = '010')")
    assert partitions(made) == ["n=10", "n=9"]
    made.sql("INSERT OVERWRITE d.t PARTITION (n = 10) SELECT 5")
    assert made.rows("d.t") == [(2, 9), (5, 10)]


def test_partition_is_found_by_other_form_of_value(made: Lake) -> None:
    assert [row[0] for row in made.sql("SHOW PARTITIONS d.t PARTITION (n = '07')").rows] == ["n=7"]
    made.sql("ALTER TABLE d.t DROP PARTITION (n = '07')")
    assert made.rows("d.t") == [(2, 9)]


@pytest.mark.parametrize(
    "change",
    [
        "ADD PARTITION (n = 'abc')",
        "PARTITION (n = 7) RENAME TO PARTITION (n = 'abc')",
        "DROP PARTITION (n = 'abc')",
        "ADD PARTITION (n = 2147483648)",
    ],
)
def test_value_not_taken_by_column_is_refused(made: Lake, change: str) -> None:
    before = made.head()
    with pytest.raises(InvalidValue):
        made.sql(f"ALTER TABLE d.t {change}")
    assert (made.head(), partitions(made)) == (before, ["n=7", "n=9"])


def test_a_text_longer_than_its_column_is_refused(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v VARCHAR(2)) PARTITIONED BY (v)")
    lake.sql("INSERT INTO d.t VALUES (1, 'b')")
    with pytest.raises(InvalidValue, match="longer than 2"):
        lake.sql("ALTER TABLE d.t PARTITION (v = 'b') RENAME TO PARTITION (v = 'long')")


@pytest.mark.parametrize(
    ("kind", "texts", "others"),
    [
        ("int", ["0", "7", "-7"], ["07", "-0", "+7", "x", "", "2147483648", " 7"]),
        ("tinyint", ["127", "-128"], ["128"]),
        ("date", ["2024-02-29"], ["2024-2-29", "2023-02-29", "x"]),
        ("boolean", ["true", "false"], ["TRUE", "1"]),
        ("char(3)", ["a  "], ["a", "abcd"]),
        ("varchar(2)", ["", "ab"], ["abc"]),
        ("string", ["", "007"], []),
        ("decimal(4,1)", [], ["1", "1.0"]),
        ("timestamp", [], ["2024-01-01 00:00:00"]),
    ],
)
def test_what_is_surely_the_text_of_a_value(kind: str, texts: list[str], others: list[str]) -> None:
    assert [text for text in (*texts, *others) if is_partition_text(kind, text)] == texts


@pytest.mark.parametrize("kind", ["BINARY", "STRUCT<a: INT>", "ARRAY<INT>", "MAP<STRING, INT>"])
def test_a_column_without_texts_partitions_no_table(lake: Lake, kind: str) -> None:
    with pytest.raises(LakeError) as refusal:
        lake.sql(f"CREATE TABLE d.x (id INT, c {kind}) PARTITIONED BY (c)")
    assert (refusal.value.code, refusal.value.details["column"]) == ("INVALID_VALUE", "c")
    assert [row[1] for row in lake.sql("SHOW TABLES IN d").rows] == []
