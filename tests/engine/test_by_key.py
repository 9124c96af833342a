"""Rows named by values of columns: what this process stages is what Spark's rows make, and all else is Spark's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.domain.schema import Column
from catalog_app.engine import by_key
from catalog_app.engine import engine as engines
from catalog_app.engine.by_key import key_terms
from catalog_app.engine.decoding import internal_name
from catalog_app.engine.delete_update import RowFilter
from catalog_app.engine.inputs_outputs import RowChanges
from lakeui.common.errors import NotNullViolation
from tests.engine.lake import Lake, schema_of

Assigned = Sequence[tuple[str, str]]

SCHEMA = schema_of(
    *(
        "id int",
        "Name string",
        "n bigint",
        "tiny tinyint",
        "price decimal(7,2)",
        "at timestamp",
        "on date",
        "yes boolean",
    ),
    *("d double", "f float", "b binary", "ntz timestamp_ntz", "vc varchar(3)", "ch char(3)", "big decimal(38,10)"),
)
REST = "|double('NaN')|float('-0.0')|X'00ff'|TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'|'v'|'c'|-1.5"
NOTHING = "|NULL" * 7
FIRST = (
    f"1|'a'|10|1|1.5|TIMESTAMP'2024-01-01 00:00:00'|DATE'2024-01-01'|true{REST}",
    f"2|'b'|NULL|127|NULL|NULL|NULL|NULL{NOTHING}",
    f"3|'c'|30|-128|0.25|TIMESTAMP'2024-01-01 00:00:00.5'|DATE'2024-02-29'|false{REST}",
    f"4|NULL|2147483647|4|4|NULL|NULL|true{NOTHING}",
)
SECOND = (f"1|'z'|11|1|1.5|NULL|NULL|true{NOTHING}", f"NULL|'a'|1|1|1|NULL|NULL|NULL{REST}")
CONDITIONS = (
    "id = 1",
    "id = 1 AND n = 10",
    "Name = 'a'",
    "`NAME` = 'a' AND t.id = 1",
    "id = 2",
    "n = 999999999999",
    "tiny = 300",
    "Name = 'a' AND Name = 'b'",
)
ASSIGNED: tuple[Assigned, ...] = (
    [("Name", "'new'")],
    [("n", "n + 1")],
    [("n", "t.n - 5"), ("id", "id + 1")],
    [("price", "2.5"), ("on", "DATE'2025-01-01'"), ("yes", "false")],
    [("Name", "NULL"), ("n", "NULL")],
    [("Name", "'a'")],
    [("id", "7"), ("n", "DEFAULT")],
)
REFUSED_BY_SPARK: tuple[tuple[str, Assigned], ...] = (
    ("id = 2", [("tiny", "tiny + 1")]),
    ("id = 1", [("id", "2147483648")]),
    ("id = 1", [("yes", "'x'")]),
)
LEFT = (
    None,
    "id = 1 OR id = 2",
    "id = 1 AND n > 1",
    "id = 1.0",
    "id = '1'",
    "Name = 1",
    "price = 1",
    "yes = true",
    "id = n",
    "1 = id",
    "id IN (1)",
    "NOT id = 1",
    "(id = 1)",
    "id = 1 /* x */",
    "nope = 1",
    "u.id = 1",
    "Name = 'a' AND Name = 'x AND y'",
    "Name = 'it\\'s'",
    "id + 0 = 1",
)
"""Conditions that are Spark's to judge."""


@pytest.fixture
def filled(lake: Lake) -> Lake:
    """Two files, one of them with a deleted row."""
    lake.schema = SCHEMA
    lake.values(*FIRST)
    lake.values(*SECOND)
    lake.values(f"5|'gone'|1|1|1|NULL|NULL|NULL{NOTHING}", f"6|'a'|1|1|1|NULL|NULL|NULL{REST}")
    assert lake.delete("id = 5").rows == 1
    return lake


def staged(lake: Lake, changes: RowChanges) -> tuple[Any, ...]:
    """All that was staged, without the names of files."""

    def read(path: str) -> Any:
        return pq.read_table(lake.warehouse.absolute(path), partitioning=None)

    deletes = [(file.data_file_id, file.rows, read(file.path).to_pylist()) for file in changes.delete_files]
    images = [
        (replace(image, path="", base=0), read(image.path).schema.to_string(), str(read(image.path).to_pylist()))
        for image in changes.images
    ]
    return deletes, images, changes.emptied, changes.rows, changes.files_scanned


def by_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("delete_by_key", "update_by_key"):
        monkeypatch.setattr(engines, name, lambda *_, **__: None)


def test_staged_rows_equal_those_that_spark_makes(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    scan, engine = filled.scan(), filled.engine

    def every() -> dict[str, Any]:
        found = {f"DELETE {text}": staged(filled, engine.delete(scan, text, alias="t")) for text in CONDITIONS}
        for text in CONDITIONS:
            for number, assigned in enumerate(ASSIGNED):
                # Spark takes long for each: every condition once, every assignment once.
                if number == CONDITIONS.index(text) % len(ASSIGNED) or text == "Name = 'a'":
                    changes = engine.update(scan, assigned, text, alias="t", writes_equal=number == 5)
                    found[f"UPDATE {assigned} {text}"] = staged(filled, changes)
        return found

    def never(*_: object) -> None:
        raise AssertionError("Spark was asked")

    with monkeypatch.context() as patched:
        patched.setattr(type(engine._sessions), "run", never)
        own = every()
    by_spark(monkeypatch)
    assert own == every()


def test_rows_with_the_new_values_are_left_alone(filled: Lake) -> None:
    changes = filled.engine.update(filled.scan(), [("Name", "'a'")], "id = 1", alias="t")
    assert changes.rows == 1
    assert filled.engine.update(filled.scan(), [("Name", "'a'")], "n = 10", alias="t").rows == 0


def test_a_row_that_keeps_nan_is_left_alone() -> None:
    """As by default: no literal writes NaN. NaN equals NaN, and 0.0 equals -0.0 (rows §1.5)."""
    schema = schema_of("id int", "d double")
    ids, (_, d) = [1, 2, 3, 4], schema.columns
    old = pa.table({internal_name(schema.columns[0]): ids, internal_name(d): [nan, 0.0, None, 1.0]})
    new = pa.table({internal_name(schema.columns[0]): ids, internal_name(d): [nan, -0.0, None, nan]})
    assert by_key._differing(schema, old, new, {d.id: lambda row: None}).tolist() == [False, False, False, True]


@pytest.mark.parametrize(("condition", "assigned"), REFUSED_BY_SPARK)
def test_what_does_not_fit_is_refused_like_spark(
    filled: Lake, monkeypatch: pytest.MonkeyPatch, condition: str, assigned: Assigned
) -> None:
    said = []
    for prepare in (lambda: None, lambda: by_spark(monkeypatch)):
        prepare()
        with pytest.raises(Exception) as caught:  # noqa: PT011 - which one is compared
            filled.engine.update(filled.scan(), assigned, condition, alias="t")
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]


def test_null_never_fills_a_required_column(lake: Lake) -> None:
    lake.schema = schema_of("id int", "n int not null", "m int")
    lake.values("1|5|NULL", "2|5|7")
    with pytest.raises(NotNullViolation):
        lake.engine.update(lake.scan(), [("n", "m + 1")], "id = 1", alias="t")
    assert lake.engine.update(lake.scan(), [("n", "m + 1")], "id = 2", alias="t").rows == 1


@pytest.mark.parametrize("condition", ["TRUE = 1", "NULL = 1", "false = 1", "id = 1 AND true = 1"])
def test_literals_are_no_columns_of_these_names(condition: str) -> None:
    assert key_terms(schema_of("id int", "true int", "null int", "false int"), RowFilter(condition, "t")) is None


@pytest.mark.parametrize("condition", LEFT)
def test_other_conditions_are_left_to_spark(condition: str | None) -> None:
    assert key_terms(SCHEMA, RowFilter(condition, "t")) is None


def test_subqueries_and_other_types_are_left_to_spark() -> None:
    assert key_terms(SCHEMA, RowFilter("id = 1", "t", {})) is None
    assert key_terms(schema_of("id char(3)"), RowFilter("id = 'a'", "t")) is None
    assert key_terms(schema_of("id int"), RowFilter("id = 1", "t")) is not None


def test_files_of_another_schema_are_read_by_spark(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that came later has its default in them."""
    filled.schema = replace(SCHEMA, columns=(*SCHEMA.columns, Column(99, "later", "int", initial_default="5")))
    asked: list[bool] = []
    run = type(filled.engine._sessions).run

    def noted(own: Any, work: Any) -> Any:
        asked.append(True)
        return run(own, work)

    monkeypatch.setattr(type(filled.engine._sessions), "run", noted)
    assert filled.engine.delete(filled.scan(), "later = 5 AND id = 1", alias="t").rows == 2
    assert asked
