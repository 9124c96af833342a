"""What says that a value never goes into a column, and what to do then."""

from __future__ import annotations

import pytest

from catalog_app.domain.schema import Column
from catalog_app.engine.assigning import Matching, assigned_value
from lakeui.common.errors import InvalidValue


@pytest.mark.parametrize(
    ("kind", "given", "way_out"),
    [
        ("map<string,int>", "struct<a:int>", "write map(..)"),
        ("array<map<string,int>>", "array<struct<a:int>>", "Parquet and Arrow have maps"),
        ("map<string,int>", "string", "Cast the value."),
        ("struct<a:int>", "map<string,int>", "Cast the value."),
    ],
)
def test_a_struct_for_map_is_refused_with_remedy(kind: str, given: str, way_out: str) -> None:
    column = Column(id=1, name="m", type=kind)
    with pytest.raises(InvalidValue) as refused:
        assigned_value(column, "v", given, Matching.BY_NAME)
    assert way_out in refused.value.remedy
