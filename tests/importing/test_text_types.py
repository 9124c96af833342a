"""Columns of text: a type is inferred only where each value comes back as it was written."""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, InvalidOperation

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from catalog_app.importing.spec import FoundColumn, misfit_of
from catalog_app.importing.text_types import TextProfile
from tests.support.soak import IS_SOAK


def inferred(*texts: str) -> str:
    profile = TextProfile()
    profile.add(pa.array(texts, pa.string()), first_row=1)
    return profile.inferred


TEXTS = [
    ("1E5", "2E7"),
    ("NAN", "INF"),
    ("nan", "inf"),
    ("+4930123", "+4940555"),
    ("0x1F", "0x0A"),
    ("007", "1"),
    ("1", ".5"),
    ("1.", "2"),
    ("-0", "1"),
    ("1,5", "2"),
    (" 1", "2"),
    ("1_000", "2"),
    ("1.5", "1e3"),
    ("0", "1", "x"),
    ("2024-1-31",),
    ("2024-01-31 10",),
    ("t", "f"),
    ("yes", "no"),
    ("9" * 39,),
    ("٣",),
]


@pytest.mark.parametrize("texts", TEXTS, ids=",".join)
def test_what_would_come_back_otherwise_is_a_text(texts: tuple[str, ...]) -> None:
    assert inferred(*texts) == "string"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("0", "-12", "9223372036854775807"), "bigint"),
        (("9223372036854775808", "1"), "decimal(19,0)"),
        (("1.5", "2.25"), "double"),
        (("1", "1.5"), "double"),
        (("1.0", "-2.5"), "double"),
        (("0.30000000000000004", "1"), "double"),
        (("1.50", "2.25"), "decimal(3,2)"),
        (("9.99", "10.00"), "decimal(4,2)"),
        (("0.00001",), "decimal(6,5)"),
        (("12345678901234567.25", "0.5"), "decimal(19,2)"),
        (("9007199254740993", "0.5"), "decimal(17,1)"),
        (("TRUE", "FALSE"), "boolean"),
    ],
)
def test_plain_numbers_are_numbers_that_keep_their_digits(texts: tuple[str, ...], expected: str) -> None:
    assert inferred(*texts) == expected


def test_hexadecimal_is_a_misfit_of_every_number() -> None:
    profile = TextProfile()
    profile.add(pa.array(["1", "0x1F"]), first_row=1)
    column = FoundColumn("c", profile.inferred, is_text=True, misfits=profile.misfits)
    for chosen in ("bigint", "double", "decimal(5,0)"):
        misfit = misfit_of(column, chosen)
        assert misfit is not None
        assert (misfit.row, misfit.value) == (2, "0x1F")


def _numbers() -> st.SearchStrategy[str]:
    whole = st.integers(-(10**40), 10**40).map(str)
    plain = st.builds("{}.{}".format, st.integers(-(10**20), 10**20), st.text("0123456789", max_size=20))
    written = st.floats().map(str)
    return whole | st.integers(-1000, 1000).map(str) | plain | written | st.decimals(places=2).map(str)


_AWKWARD = st.sampled_from(
    ["", "-0", "-0.00", "+1", "1e5", "NaN", "Infinity", "0x1F", "00", "0.0", "1d", "1f", "1L", " 1"]
)


@settings(max_examples=1500 if IS_SOAK else 300, deadline=None)
@given(st.lists(_numbers() | _AWKWARD | st.text(max_size=6), min_size=1, max_size=4))
@example(["1", "1.50"])
@example(["-0.0", "1.5"])
@example(["1e16"])
def test_every_text_comes_back_as_it_was_written(texts: list[str]) -> None:
    kind = inferred(*texts)
    for text in texts:
        back = _rendered(text, kind)
        # A column has one scale: a number may gain zeros at its end, and changes in no other way.
        assert back == text or (back.startswith(text) and back.removeprefix(text).strip("0") in ("", "."))


def _rendered(text: str, kind: str) -> str:
    if kind == "bigint":
        assert -(2**63) <= int(text) < 2**63
        return str(int(text))
    if kind == "double":
        return repr(float(text))
    if kind.startswith("decimal"):
        precision, scale = map(int, kind.removeprefix("decimal(").removesuffix(")").split(","))
        value = Decimal(text).quantize(Decimal(1).scaleb(-scale), context=_context(precision))
        return f"{value if value else abs(value):f}"
    return text


def _context(precision: int) -> Context:
    return Context(prec=precision, traps=[Inexact, InvalidOperation])
