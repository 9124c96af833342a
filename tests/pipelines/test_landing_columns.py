"""The columns of a landing zone, from those of its files."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from merge_app.pipelines.definition.landing import LandedColumn, LandedFile, lacking, zone_columns, zones_named


def file(name: str, *columns: tuple[str, str], text: bool = False, empty: tuple[str, ...] = ()) -> LandedFile:
    return LandedFile(name, tuple(LandedColumn(name, kind, text, name in empty) for name, kind in columns))


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        ("int", "bigint", "bigint"),
        ("bigint", "double", "double"),
        ("int", "float", "double"),
        ("decimal(5,2)", "decimal(4,3)", "decimal(6,3)"),
        ("decimal(5,2)", "bigint", "decimal(21,2)"),
        ("decimal(38,0)", "float", "double"),
        ("date", "timestamp_ntz", "timestamp_ntz"),
        ("struct<a:int>", "struct<a:int>", "struct<a:int>"),
    ],
)
def test_the_wider_type_holds_both(one: str, other: str, joined: str) -> None:
    for pair in ((one, other), (other, one)):
        files = [file(f"{place}.parquet", ("x", kind)) for place, kind in enumerate(pair)]
        assert zone_columns("z", files) == [("x", joined)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("string", "bigint"), ("date", "int"), ("decimal(38,0)", "decimal(3,2)"), ("struct<a:int>", "struct<b:int>")],
)
def test_files_with_disagreeing_types_are_named(one: str, other: str) -> None:
    with pytest.raises(InvalidValue, match=r"x: it is .* in a\.parquet, and .* in b\.json"):
        zone_columns("z", [file("a.parquet", ("x", one)), file("b.json", ("x", other))])


def test_texts_of_csv_files_are_texts() -> None:
    files = [file("a.csv", ("x", "bigint"), text=True), file("b.csv", ("x", "date"), text=True)]
    assert zone_columns("z", files) == [("x", "string")]
    with pytest.raises(InvalidValue):
        zone_columns("z", [*files, file("c.parquet", ("x", "int"))])


def test_a_column_without_values_takes_the_others_type() -> None:
    empty = file("a.csv", ("x", "string"), text=True, empty=("x",))
    assert zone_columns("z", [empty, file("b.csv", ("x", "bigint"), text=True)]) == [("x", "bigint")]
    assert zone_columns("z", [empty]) == [("x", "string")]


def test_columns_are_found_by_name_without_case() -> None:
    files = [file("a", ("Id", "int"), ("b", "int")), file("b", ("c", "int"), ("ID", "int"))]
    columns = zone_columns("z", files)
    assert columns == [("Id", "int"), ("b", "int"), ("c", "int")]
    assert lacking(files, columns) == [("a", ["c"]), ("b", ["b"])]


@pytest.mark.parametrize(
    ("source", "zones"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM {{ landing('a') }} JOIN {{ landing(\"b\") }} JOIN {{ landing('a') }}", ["a", "b"]),
        ("{% for z in ['a'] %}{{ landing(z) }}{% endfor %}", []),
        ("{{ landing( }}", []),
    ],
)
def test_zones_that_a_template_names(source: str, zones: list[str]) -> None:
    assert zones_named(source) == zones
