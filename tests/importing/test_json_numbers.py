"""Numbers of JSON keep every digit, at any depth, or are refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog_app.importing.scanning import file_open, file_scan
from catalog_app.importing.spec import FileFormat, Reading
from lakeui.common.errors import InvalidValue
from tests.support.soak import IS_SOAK


def scanned(folder: Path, text: str) -> tuple[list[str], list[list[Any]]]:
    """The inferred types, and the values that Arrow has of them."""
    file = folder / "file.json"
    file.write_text(text)
    scan = file_scan(file, FileFormat.JSON, Reading())
    with file_open(file, FileFormat.JSON, scan.reading) as opened:
        rows = [list(row.values()) for batch in opened.batches for row in batch.to_pylist()]
    return [column.inferred for column in scan.columns], rows


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (["1", "-2"], "bigint"),
        (["9223372036854775807"], "bigint"),
        (["12345678901234567890", "1"], "decimal(20,0)"),
        (["1", "1.5", "9007199254740993"], "decimal(17,1)"),
        (["1", "1.5", "9007199254740992"], "double"),
        (["0.30000000000000004"], "double"),
        (["0.1234567890123456789"], "decimal(20,19)"),
        (["1e3", "2.5E-3"], "double"),
        (["1.50", "1e300"], "double"),
    ],
)
def test_the_type_keeps_every_digit(tmp_path: Path, numbers: Sequence[str], expected: str) -> None:
    kinds, rows = scanned(tmp_path, "\n".join(f'{{"a": {number}}}' for number in numbers))
    assert kinds == [expected]
    assert [Decimal(str(row[0])) for row in rows] == [Decimal(number) for number in numbers]


def test_nested_numbers_do_too(tmp_path: Path) -> None:
    kinds, rows = scanned(tmp_path, '{"s": {"x": 9007199254740993, "l": [1, 12345678901234567890]}}\n{"s": {"x": 0.5}}')
    assert kinds == ["struct<x:decimal(17,1),l:array<decimal(20,0)>>"]
    assert rows[0][0]["x"] == Decimal(9007199254740993)
    assert rows[0][0]["l"] == [Decimal(1), Decimal(12345678901234567890)]


@pytest.mark.parametrize("numbers", [["1" * 39], ["1e300", "9007199254740993"], ["1e400"], ["0." + "1" * 38, "1"]])
def test_numbers_that_no_type_keeps_are_refused(tmp_path: Path, numbers: Sequence[str]) -> None:
    with pytest.raises(InvalidValue, match="lose digits") as refusal:
        scanned(tmp_path, "\n".join(f'{{"a": {number}}}' for number in numbers))
    assert refusal.value.details["column"] == "a"
    assert refusal.value.remedy


_NUMBERS = (
    st.integers(-(10**25), 10**25).map(str)
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str)
)


@settings(
    max_examples=300 if IS_SOAK else 80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(_NUMBERS, min_size=1, max_size=4))
def test_no_number_changes(tmp_path: Path, numbers: list[str]) -> None:
    text = "[" + ",".join(f'{{"a": {number}}}' for number in numbers) + "]"
    if not _fit(numbers):
        with pytest.raises(InvalidValue, match="lose digits"):
            scanned(tmp_path, text)
        return
    _, rows = scanned(tmp_path, text)
    back = [json.loads(json.dumps(row[0], default=str), parse_float=str, parse_int=str) for row in rows]
    assert [Decimal(value) for value in back] == [Decimal(number) for number in numbers]


def _fit(numbers: Sequence[str]) -> bool:
    """Whether doubles have all of the numbers, or one decimal does."""
    exact = [Decimal(number) for number in numbers]
    if all(Decimal(repr(float(number))) == value for number, value in zip(numbers, exact, strict=True)):
        return any(not number.removeprefix("-").isdecimal() for number in numbers) or _in_decimal(exact)
    return _in_decimal(exact)


def _in_decimal(numbers: Sequence[Decimal]) -> bool:
    parts = [(len(value.as_tuple().digits), int(value.as_tuple().exponent)) for value in numbers]
    before = max(1, *(digits + exponent for digits, exponent in parts))
    return before + max(0, *(-exponent for _, exponent in parts)) <= 38
