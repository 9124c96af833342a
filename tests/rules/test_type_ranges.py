"""A refused change of a type says the truth: values would be lost, or the change is not supported."""

from __future__ import annotations

import pytest

from catalog_app.domain.type_ranges import change_refused, holds_all
from lakeui.common.errors import NotSupported, TypeNarrowing


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("decimal(5,2)", "decimal(12,4)"),
        ("decimal(5,2)", "decimal(5,2)"),
        ("int", "decimal(10,0)"),
        ("int", "decimal(12,2)"),
        ("bigint", "decimal(38,19)"),
        ("int", "double"),
        ("smallint", "float"),
        ("char(3)", "varchar(3)"),
        ("char(3)", "string"),
        ("int", "bigint"),
    ],
)
def test_all_values_fit(narrow: str, wide: str) -> None:
    assert holds_all(narrow, wide)
    refused = change_refused("Column k", narrow, wide, column="k")
    assert isinstance(refused, NotSupported)
    assert refused.message == f"Column k is {narrow}; a change to {wide} is not supported, though all values fit."


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("decimal(5,2)", "decimal(5,3)"),
        ("decimal(5,2)", "decimal(12,1)"),
        ("int", "decimal(11,2)"),
        ("bigint", "double"),
        ("int", "float"),
        ("double", "decimal(38,10)"),
        ("string", "decimal(38,10)"),
        ("char(4)", "varchar(3)"),
        ("string", "varchar(3)"),
        ("bigint", "int"),
        ("int", "date"),
    ],
)
def test_some_values_do_not_fit(narrow: str, wide: str) -> None:
    assert not holds_all(narrow, wide)
    assert isinstance(change_refused("Column k", narrow, wide, column="k"), TypeNarrowing)
