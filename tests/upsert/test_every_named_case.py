"""What the property draws by chance, drawn for certain: every kind of value and of meeting, by every implementation."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, zip_longest
from typing import Any

import pyarrow as pa
import pytest

from tests.upsert.engines import Counts, KeyedTable
from tests.upsert.model import Row, as_bag, merged

NAN, INFINITY = float("nan"), float("inf")
TYPES = {
    "k": pa.float64(),
    "name": pa.string(),
    "weight": pa.float64(),
    "price": pa.decimal128(12, 2),
    "at": pa.timestamp("us", "UTC"),
    "nested": pa.struct([("x", pa.float64()), ("y", pa.list_(pa.string()))]),
    "pairs": pa.map_(pa.string(), pa.int64()),
    "number": pa.int32(),
}
FIRST = datetime.datetime(1900, 1, 1, tzinfo=datetime.UTC)
LAST = datetime.datetime(2099, 12, 31, 23, 59, 59, 999_999, datetime.UTC)


def row(key: float | None, name: str | None, **values: Any) -> Row:
    """A row whose other columns are NULL unless given."""
    return {**dict.fromkeys(TYPES), "k": key, "name": name, **values}


STORED = (
    (
        row(NAN, "a", weight=-0.0, price=Decimal("9999999999.99"), at=FIRST, nested={"x": NAN, "y": [None, ""]}),
        row(-0.0, "b", weight=NAN, price=Decimal("-0.01"), at=LAST, pairs=[("a", 1), ("b", None)], number=7),
    ),
    (
        row(None, "c", nested={"x": None, "y": None}, pairs=[]),
        row(1.5, None, weight=INFINITY, nested={"x": -0.0, "y": []}, number=-(2**31)),
    ),
)
KNOWN = tuple(
    {**stored, "weight": NAN, "price": Decimal("1.10"), "at": LAST, "nested": {"x": -0.0, "y": ["é"]}, "number": 1}
    for file in STORED
    for stored in file
)
NEW = (
    row(NAN, None, weight=-0.0, at=FIRST),
    row(None, None, price=Decimal("0.00"), nested={"x": NAN, "y": None}),
    row(0.0, "a", pairs=[("z", 9)], number=2**31 - 1),
)


@dataclass(frozen=True)
class Meeting:
    """A batch and the files that it meets. ``drift`` holds types of columns that only the batch has, or has wider;
    what its rows have not, it lacks.
    """

    batch: tuple[Row, ...]
    stored: tuple[tuple[Row, ...], ...] = STORED
    drift: dict[str, pa.DataType] | None = None
    keys: tuple[str, ...] = ("k", "name")

    @property
    def types(self) -> dict[str, pa.DataType]:
        return {**dict.fromkeys(self.keys, pa.string()), **TYPES}

    @property
    def table(self) -> pa.Table:
        types = {**self.types, **(self.drift or {})}
        held = {name: kind for name, kind in types.items() if not self.batch or name in self.batch[0]}
        return pa.Table.from_pylist(list(self.batch), pa.schema(held))


def drifted(given: Row) -> Row:
    """Without one column, with another, and with a number that takes a wider type."""
    kept = {name: value for name, value in given.items() if name != "nested"}
    return {**kept, "number": 2**40, "more": [1, None]}


MEETINGS = {
    "some match": Meeting((*KNOWN[:2], *NEW[:2])),
    "all match": Meeting(KNOWN),
    "zero matches negative zero": Meeting(({**KNOWN[1], "k": 0.0, "weight": 0.0},)),
    "none match": Meeting(NEW),
    "nothing is there": Meeting(NEW, stored=((),)),
    "nothing is given": Meeting(()),
    "the columns differ": Meeting(
        tuple(drifted(given) for given in (*KNOWN[1:3], NEW[0])),
        drift={"number": pa.int64(), "more": pa.list_(pa.int64())},
    ),
}


def together(meetings: dict[str, Meeting]) -> Meeting:
    """The meetings without drift in one table; each has its name in the key."""
    plain = {name: meeting for name, meeting in meetings.items() if meeting.drift is None}

    def named(name: str, rows: tuple[Row, ...]) -> list[Row]:
        return [{"meeting": name, **given} for given in rows]

    files = zip_longest(
        *([named(name, file) for file in meeting.stored] for name, meeting in plain.items()), fillvalue=[]
    )
    stored = tuple(tuple(chain.from_iterable(file)) for file in files)
    batch = chain.from_iterable(named(name, meeting.batch) for name, meeting in plain.items())
    return Meeting(tuple(batch), stored, keys=("meeting", "k", "name"))


@pytest.mark.parametrize("meeting", MEETINGS.values(), ids=MEETINGS)
def test_every_value_kind_and_meeting_ends_as_modelled(cheap_table: KeyedTable, meeting: Meeting) -> None:
    agree(cheap_table, meeting)


@pytest.mark.parametrize("meeting", [together(MEETINGS), MEETINGS["the columns differ"]], ids=["the same", "differ"])
def test_every_meeting_in_one_table_ends_as_modelled(table: KeyedTable, meeting: Meeting) -> None:
    agree(table, meeting)


def agree(table: KeyedTable, meeting: Meeting) -> None:
    table.fill(*(pa.Table.from_pylist(list(file), pa.schema(meeting.types)) for file in meeting.stored))
    rows = [dict(stored) for file in meeting.stored for stored in file]
    columns = [*meeting.types, *(name for name in meeting.drift or () if name not in meeting.types)]
    keys = list(meeting.keys)
    for strategy in ("update", "insert", "upsert"):
        expected = merged(rows, meeting.table.to_pylist(), strategy, keys)
        rows = expected.rows
        counts = table.merge(meeting.table, strategy, keys, schema_evolution=meeting.drift is not None)
        assert counts == Counts(expected.inserted, expected.updated)
        assert as_bag(table.rows(), columns) == as_bag(rows, columns)
