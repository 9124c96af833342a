"""What each strategy does to rows, the same through every implementation."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from lakeui.common.errors import DuplicateKey, InvalidValue, NotFound, NotNullViolation, NotSupported, TypeNarrowing
from tests.upsert.engines import Counts, KeyedTable
from tests.upsert.model import as_bag

NAN = float("nan")
STORED = pa.table({"id": [1, 2, 3], "v": ["a", "b", "c"]})
BATCH = pa.table({"id": [2, 4], "v": ["B", "D"]})


def bag(**columns: list[object]) -> object:
    return as_bag(pa.table(columns), list(columns))


@pytest.mark.parametrize(
    ("strategy", "counts", "expected"),
    [
        ("insert", Counts(1, 0), {"id": [1, 2, 3, 4], "v": ["a", "b", "c", "D"]}),
        ("update", Counts(0, 1), {"id": [1, 2, 3], "v": ["a", "B", "c"]}),
        ("upsert", Counts(1, 1), {"id": [1, 2, 3, 4], "v": ["a", "B", "c", "D"]}),
    ],
)
def test_strategy_decides_about_known_and_new_keys(
    cheap_table: KeyedTable, strategy: str, counts: Counts, expected: dict[str, list[object]]
) -> None:
    cheap_table.fill(STORED.slice(0, 2), STORED.slice(2))
    assert cheap_table.merge(BATCH, strategy, "id") == counts
    assert as_bag(cheap_table.rows(), ["id", "v"]) == bag(**expected)


def test_second_run_of_same_batch_writes_nothing(table: KeyedTable) -> None:
    table.fill(STORED)
    table.merge(BATCH, "upsert", "id")
    before = table.state()
    assert table.merge(BATCH, "upsert", "id") == Counts(0, 0)
    assert table.state() == before


def test_all_components_of_a_key_must_match(cheap_table: KeyedTable) -> None:
    cheap_table.fill(pa.table({"a": [1, 1, 2], "b": ["x", "y", "x"], "v": [1, 2, 3]}))
    batch = pa.table({"a": [1, 2], "b": ["y", "y"], "v": [20, 40]})
    assert cheap_table.merge(batch, "upsert", ["a", "b"]) == Counts(1, 1)
    assert as_bag(cheap_table.rows(), ["a", "b", "v"]) == bag(a=[1, 1, 2, 2], b=["x", "y", "x", "y"], v=[1, 20, 3, 40])


def test_null_is_equal_to_null_in_every_component(cheap_table: KeyedTable) -> None:
    cheap_table.fill(pa.table({"a": [1, None, None], "b": [None, "x", None], "v": [1, 2, 3]}))
    batch = pa.table({"a": [None, 1, None], "b": [None, None, "y"], "v": [30, 10, 40]})
    assert cheap_table.merge(batch, "upsert", ["a", "b"]) == Counts(1, 2)
    expected = bag(a=[1, None, None, None], b=[None, "x", None, "y"], v=[10, 2, 30, 40])
    assert as_bag(cheap_table.rows(), ["a", "b", "v"]) == expected


def test_nan_equals_nan_and_zero_equals_negative_zero(cheap_table: KeyedTable) -> None:
    cheap_table.fill(pa.table({"k": [NAN, -0.0, 1.0], "v": [1, 2, 3]}))
    assert cheap_table.merge(pa.table({"k": [0.0, NAN], "v": [20, 10]}), "upsert", "k") == Counts(0, 2)
    assert as_bag(cheap_table.rows(), ["k", "v"]) == bag(k=[NAN, 0.0, 1.0], v=[10, 20, 3])


def test_nan_outside_of_file_bounds_is_found(table: KeyedTable) -> None:
    table.fill(pa.table({"k": [5.0, NAN], "v": [1, 2]}), pa.table({"k": [7.0], "v": [3]}))
    assert table.merge(pa.table({"k": [NAN], "v": [20]}), "update", "k") == Counts(0, 1)
    assert as_bag(table.rows(), ["k", "v"]) == bag(k=[5.0, NAN, 7.0], v=[1, 20, 3])


def test_every_target_row_with_key_is_updated(cheap_table: KeyedTable) -> None:
    cheap_table.fill(pa.table({"id": [1, 1], "v": [1, 2]}), pa.table({"id": [1, 2], "v": [3, 4]}))
    assert cheap_table.merge(pa.table({"id": [1], "v": [9]}), "update", "id") == Counts(0, 3)
    assert as_bag(cheap_table.rows(), ["id", "v"]) == bag(id=[1, 1, 1, 2], v=[9, 9, 9, 4])


@pytest.mark.pairwise
@pytest.mark.parametrize("strategy", ["insert", "update", "upsert"])
@pytest.mark.parametrize("key", [2, None, 5])
def test_duplicate_keys_in_a_batch_write_nothing(cheap_table: KeyedTable, strategy: str, key: int | None) -> None:
    cheap_table.fill(STORED)
    before = cheap_table.state()
    batch = pa.table({"id": pa.array([7, key, key], pa.int64()), "v": ["x", "y", "y"]})
    with pytest.raises(DuplicateKey, match="2 rows"):
        cheap_table.merge(batch, strategy, "id")
    assert cheap_table.state() == before


def test_row_greatest_in_order_columns_wins_its_key(table: KeyedTable) -> None:
    table.fill(STORED)
    batch = pa.table(
        {"id": [2, 2, 2, 5, 5], "v": ["p", "q", "r", "s", "t"], "at": [1, 3, None, 2, 2], "n": [1, 1, 1, 1, 2]}
    )
    assert table.merge(batch, "upsert", "id", dedup_by=["at", "n"]) == Counts(1, 1)
    assert as_bag(table.rows(), ["id", "v"]) == bag(id=[1, 2, 3, 5], v=["a", "q", "c", "t"])


def test_tie_in_order_columns_is_an_error(table: KeyedTable) -> None:
    table.fill(STORED)
    batch = pa.table({"id": [2, 2, 2], "v": ["p", "q", "r"], "at": [3, 3, 1]})
    with pytest.raises(DuplicateKey, match="2 rows"):
        table.merge(batch, "upsert", "id", dedup_by="at")


@pytest.mark.parametrize("strategy", ["insert", "update", "upsert"])
def test_a_batch_without_rows_writes_nothing(cheap_table: KeyedTable, strategy: str) -> None:
    cheap_table.fill(STORED)
    before = cheap_table.state()
    assert cheap_table.merge(BATCH.slice(0, 0), strategy, "id") == Counts(0, 0)
    assert cheap_table.state() == before


@pytest.mark.parametrize(("strategy", "id_"), [("insert", 2), ("update", 9)])
def test_merge_that_finds_nothing_to_do_writes_nothing(cheap_table: KeyedTable, strategy: str, id_: int) -> None:
    cheap_table.fill(STORED)
    before = cheap_table.state()
    assert cheap_table.merge(pa.table({"id": [id_], "v": ["x"]}), strategy, "id") == Counts(0, 0)
    assert cheap_table.state() == before


@pytest.mark.parametrize("strategy", ["insert", "upsert"])
def test_a_table_without_rows_takes_all(cheap_table: KeyedTable, strategy: str) -> None:
    cheap_table.fill(STORED.slice(0, 0))
    assert cheap_table.merge(BATCH, strategy, "id") == Counts(2, 0)
    assert as_bag(cheap_table.rows(), ["id", "v"]) == bag(id=[2, 4], v=["B", "D"])


def test_update_of_missing_table_is_an_error(table: KeyedTable) -> None:
    with pytest.raises(NotFound):
        table.merge(BATCH, "update", "id")


KEYS = {
    "text": (["ä", "", "zz"], pa.string()),
    "bytes": ([b"\xff", b"", b"a"], pa.binary()),
    "boolean": ([True, False, None], pa.bool_()),
    "decimal": ([Decimal("1.10"), Decimal("-1.10"), Decimal("0.00")], pa.decimal128(20, 2)),
    "date": ([datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None], pa.date32()),
    "moment with zone": ([-1, 0, 2**53 + 1], pa.timestamp("us", "Europe/Berlin")),
    "moment without zone": ([-1, 0, 2**53 + 1], pa.timestamp("us")),
    "small number": ([-128, 127, 0], pa.int8()),
    "large number": ([-(2**63), 2**63 - 1, 2**53 + 1], pa.int64()),
    "float": ([1.5, float("inf"), -float("inf")], pa.float32()),
}


@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_every_plain_type_match_exactly(cheap_table: KeyedTable, kind: str) -> None:
    values, type_ = KEYS[kind]
    keys = pa.array(values, type_)
    cheap_table.fill(pa.table({"k": keys.slice(0, 2), "v": [1, 2]}))
    assert cheap_table.merge(pa.table({"k": keys.slice(1), "v": [20, 30]}), "upsert", "k") == Counts(1, 1)
    assert as_bag(cheap_table.rows(), ["k", "v"]) == as_bag(pa.table({"k": keys, "v": [1, 20, 30]}), ["k", "v"])


def test_keys_of_all_plain_types_match_exactly_together(table: KeyedTable) -> None:
    """A row has a value in the component of its own type, and NULL in the others."""
    count = 3 * len(KEYS)
    columns = {"kind": pa.array([kind for kind in KEYS for _ in range(3)])}
    for place, (kind, (values, type_)) in enumerate(KEYS.items()):
        columns[kind] = pa.array([None] * (3 * place) + [*values] + [None] * (count - 3 * place - 3), type_)
    stored, given = ([place for place in range(count) if place % 3 != left] for left in (2, 0))
    table.fill(pa.table({**columns, "v": list(range(count))}).take(stored))
    batch = pa.table({**columns, "v": [-place for place in range(count)]}).take(given)
    assert table.merge(batch, "upsert", [*columns]) == Counts(len(KEYS), len(KEYS))
    expected = [place if place % 3 == 0 else -place for place in range(count)]
    assert as_bag(table.rows(), [*columns, "v"]) == as_bag(pa.table({**columns, "v": expected}), [*columns, "v"])


def test_a_nested_key_is_refused(table: KeyedTable) -> None:
    nested = pa.table({"k": [[1], [2]], "v": [1, 2]})
    table.fill(nested)
    with pytest.raises(NotSupported, match="cannot be a key"):
        table.merge(nested, "upsert", "k")


# -- schemas that differ ----------------------------------------------------------------------------------------------


def test_columns_go_by_name(cheap_table: KeyedTable) -> None:
    cheap_table.fill(STORED)
    cheap_table.merge(BATCH.select(["v", "id"]), "upsert", "id")
    assert as_bag(cheap_table.rows(), ["id", "v"]) == bag(id=[1, 2, 3, 4], v=["a", "B", "c", "D"])


def test_missing_and_additional_columns_are_errors(table: KeyedTable) -> None:
    table.fill(STORED)
    with pytest.raises(InvalidValue, match=r"no column v|lacks the column v"):
        table.merge(BATCH.select(["id"]), "upsert", "id")
    more = BATCH.append_column("iid", pa.array([1, 2]))
    before = table.state()
    with pytest.raises(InvalidValue, match="column iid") as refusal:
        table.merge(more, "upsert", "id")
    assert (refusal.value.details["field"], refusal.value.details["nearest"]) == ("iid", "id")
    assert table.state() == before
    table.merge(more, "upsert", "id", extra_columns="ignore")
    assert table.rows().column_names == ["id", "v"]


def test_evolution_adds_new_columns_and_keeps_missing_ones(cheap_table: KeyedTable) -> None:
    cheap_table.fill(STORED.slice(0, 2), STORED.slice(2))
    batch = pa.table({"id": [2, 4], "more": [20, 40]})
    assert cheap_table.merge(batch, "upsert", "id", schema_evolution=True) == Counts(1, 1)
    expected = bag(id=[1, 2, 3, 4], v=["a", "b", "c", None], more=[None, 20, None, 40])
    assert as_bag(cheap_table.rows(), ["id", "v", "more"]) == expected


def test_evolution_widens_column_to_wider_type_of_batch(cheap_table: KeyedTable) -> None:
    cheap_table.fill(pa.table({"id": pa.array([1, 2], pa.int32()), "v": pa.array([1.5, 2.5], pa.float32())}))
    batch = pa.table({"id": [2, 2**40], "v": [0.1, 0.2]})
    assert cheap_table.merge(batch, "upsert", "id", schema_evolution=True) == Counts(1, 1)
    assert as_bag(cheap_table.rows(), ["id", "v"]) == bag(id=[1, 2, 2**40], v=[1.5, 0.1, 0.2])


def test_fitting_values_of_wider_types_are_taken(disk_table: KeyedTable) -> None:
    disk_table.fill(pa.table({"id": pa.array([1], pa.int32()), "v": pa.array([1.5], pa.float32())}))
    assert disk_table.merge(pa.table({"id": [1, 2], "v": [0.5, NAN]}), "upsert", "id") == Counts(1, 1)
    for unfit in ({"id": [2**40], "v": [0.5]}, {"id": [3], "v": [0.1]}):
        before = disk_table.state()
        with pytest.raises(TypeNarrowing):
            disk_table.merge(pa.table(unfit), "upsert", "id")
        assert disk_table.state() == before


@pytest.mark.parametrize(
    ("stored", "given"),
    [
        (pa.array([1]), pa.array(["1"])),
        (pa.array(["1"]), pa.array([1])),
        (pa.array([1]), pa.array([1.0])),
        (pa.array([datetime.date(2026, 1, 1)]), pa.array([datetime.datetime(2026, 1, 1, 5)])),  # noqa: DTZ001
        (pa.array([0], pa.timestamp("us")), pa.array([0], pa.timestamp("us", "UTC"))),
        (pa.array([[1]]), pa.array([1])),
        (pa.array([[0.5]], pa.list_(pa.float32())), pa.array([[0.1]])),
    ],
)
def test_a_type_that_does_not_fit_is_refused(disk_table: KeyedTable, stored: pa.Array, given: pa.Array) -> None:
    disk_table.fill(pa.table({"id": [1], "v": stored}))
    with pytest.raises(TypeNarrowing):
        disk_table.merge(pa.table({"id": [1], "v": given}), "upsert", "id")


def test_a_required_column_takes_no_null(table: KeyedTable) -> None:
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("v", pa.string(), nullable=False)])
    table.fill(STORED.cast(schema))
    before = table.state()
    with pytest.raises(NotNullViolation):
        table.merge(pa.table({"id": [1], "v": pa.array([None], pa.string())}), "upsert", "id")
    with pytest.raises(NotNullViolation):
        table.merge(pa.table({"id": [7]}), "upsert", "id", schema_evolution=True)
    assert table.state() == before
