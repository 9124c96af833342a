"""Bounds, partition values and types in the form of Iceberg, each beside PyIceberg's own."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import fastavro
import pytest
from pyiceberg.conversions import from_bytes
from pyiceberg.schema import Schema as TheirSchema

from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import ParsedType, parse_identified, parse_type
from catalog_app.iceberg.avro_schemas import entry_schema, partition_name, partition_names
from catalog_app.iceberg.serialized_values import bound_bytes, partition_value, value_bytes
from catalog_app.iceberg.types import files_check, schema_json, type_json
from lakeui.common.errors import NotSupported

UTC = datetime.UTC
BOUNDS = [
    ("boolean", True, True),
    ("tinyint", -128, -128),
    ("smallint", -5, -5),
    ("int", 2**31 - 1, 2**31 - 1),
    ("bigint", -(2**63), -(2**63)),
    ("float", 0.5, 0.5),
    ("double", -1e300, -1e300),
    ("string", "ä𝄞", "ä𝄞"),
    ("char(3)", "a  ", "a  "),
    ("varchar(9)", "", ""),
    ("date", "1969-12-31", -1),
    ("date", "9999-12-31", 2932896),
    ("timestamp", "1969-12-31T23:59:59.999999Z", -1),
    ("timestamp", "2024-01-31T10:00:00.000001Z", 1706695200000001),
    ("timestamp_ntz", "0001-01-01T00:00:00.000000", -62135596800000000),
    ("decimal(9,2)", "-1.28", decimal.Decimal("-1.28")),
    ("decimal(9,2)", "1.27", decimal.Decimal("1.27")),
    ("decimal(9,2)", "1.28", decimal.Decimal("1.28")),
    ("decimal(38,0)", "9" * 38, decimal.Decimal("9" * 38)),
    ("decimal(38,38)", "-0." + "9" * 38, decimal.Decimal("-0." + "9" * 38)),
]


def their_type(kind: ParsedType) -> Any:
    field = {"id": 1, "name": "x", "required": False, "type": type_json(kind, "x")}
    return TheirSchema.model_validate({"type": "struct", "fields": [field]}).fields[0].field_type


@pytest.mark.parametrize(("text", "bound", "value"), BOUNDS)
def test_a_bound_reads_back_as_what_it_was(text: str, bound: Any, value: Any) -> None:
    kind = parse_type(text)
    packed = bound_bytes(kind, bound)
    assert packed is not None
    assert from_bytes(their_type(kind), packed) == value
    if text == "decimal(9,2)":
        assert len(packed) == (1 if bound != "1.28" else 2)


@pytest.mark.parametrize(("text", "bound"), [("int", None), ("binary", None), ("array<int>", None)])
def test_an_unknown_bound_is_none(text: str, bound: Any) -> None:
    assert bound_bytes(parse_type(text), bound) is None


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", "a=b/c%", "a=b/c%"),
        ("tinyint", "-3", -3),
        ("boolean", "false", False),
        ("double", "1.0E10", 1e10),
        ("double", "-Infinity", float("-inf")),
        ("date", "2024-02-29", 19782),
        ("timestamp", "2024-01-31 10:00:00.5", 1706695200500000),
        ("timestamp_ntz", "2024-01-31 10:00:00", 1706695200000000),
        ("decimal(9,2)", "1.20", decimal.Decimal("1.20")),
        ("int", None, None),
    ],
)
def test_a_partition_value_is_what_its_text_says(kind: str, text: str | None, value: Any) -> None:
    assert partition_value(parse_type(kind), text, "p") == value


@pytest.mark.parametrize(("kind", "text"), [("date", "+12024-01-01"), ("binary", "x"), ("timestamp", "-0001-01-01")])
def test_partition_values_without_form_are_refused_by_name(kind: str, text: str) -> None:
    with pytest.raises(NotSupported, match="Partitions by p"):
        partition_value(parse_type(kind), text, "p")


def test_a_partition_value_as_a_bound() -> None:
    assert value_bytes(parse_type("int"), 5) == bound_bytes(parse_type("int"), 5)
    assert value_bytes(parse_type("int"), None) is None


@pytest.mark.parametrize(("name", "avro"), [("a", "a"), ("a b", "a_x20b"), ("1", "_1"), ("ä", "_xE4")])
def test_partition_names_are_valid_in_avro(name: str, avro: str) -> None:
    assert partition_name(name) == avro


def test_partition_columns_that_collide_in_avro_stay_distinct() -> None:
    assert partition_names([("x y", 1), ("x_x20y", 2), ("1", 3)]) == ("x_x20y", "x_x20y_2", "_1")
    decimals = [("a", 1001, parse_type("decimal(9,2)")), ("b", 1002, parse_type("decimal(9,2)"))]
    assert fastavro.parse_schema(entry_schema(decimals))


def column(identifier: int, text: str, name: str = "c", **more: Any) -> Column:
    parsed = parse_identified(text)
    return Column(identifier, name, parsed.text, nested=parsed.identified if parsed.fields else None, **more)


def test_fields_have_their_ids_at_every_depth() -> None:
    kind = "struct<x#2:int,l#3+9:array<#4:map<#5:string,#6:struct<`q r`#7:decimal(9,2)>>>>"
    (field,) = TheirSchema.model_validate(schema_json(Schema((column(1, kind),)))).fields
    assert str(field.field_type) == (
        "struct<2: x: optional int, 3: l: optional list<map<string, struct<7: q r: optional decimal(9, 2)>>>>"
    )


@pytest.mark.parametrize("text", ["interval day to second", "variant", "time"])
def test_types_that_iceberg_lacks_are_refused_by_name(text: str) -> None:
    with pytest.raises(NotSupported, match=f"d.x has the type {text}"):
        type_json(ParsedType(text, (), text), "d.x")


def test_fields_without_ids_are_refused_by_name() -> None:
    with pytest.raises(NotSupported, match="The fields of s have no ids"):
        type_json(parse_type("array<int>"), "s")


WRITTEN = [
    ("int", "int", ""),
    ("bigint", "smallint", ""),
    ("double", "float", ""),
    ("decimal(12,2)", "decimal(9,2)", ""),
    ("string", "varchar(3)", ""),
    ("struct<a#2:bigint,b#3:int>", "struct<b#3:int,a#2:int>", ""),
    ("struct<new#2:int>", "struct<old#2:int>", ""),
    ("struct<a#2:int,z#9:date>", "struct<a#2:int>", ""),
    ("array<#2:bigint>", "array<#2:int>", ""),
    ("int", "bigint", "hold c as bigint"),
    ("timestamp_ntz", "date", "hold c as date"),
    ("decimal(12,3)", "decimal(9,2)", "hold c as decimal"),
    ("decimal(9,2)", "int", "hold c as int"),
    ("array<#2:timestamp_ntz>", "array<#2:date>", "hold c.element as date"),
    ("map<#2:string,#3:int>", "map<#2:string,#3:bigint>", "hold c.value as bigint"),
    ("struct<a#4+2:int>", "struct<a#2:int>", "field c.a under another id"),
    ("array<#4+2:int>", "array<#2:int>", "field c.element under another id"),
    ("struct<a#2:int>", "struct<a:int>", "field c.a without an id"),
    ("map<#2:int,#3:int>", "map<int,int>", "field c.key without an id"),
    ("struct<a#2:int>", "array<#2:int>", "hold c as array"),
]


@pytest.mark.parametrize(("wanted", "written", "refused"), WRITTEN)
def test_files_are_checked_field_by_field(wanted: str, written: str, refused: str) -> None:
    schemas = Schema((column(1, wanted),)), Schema((column(1, written),))
    if not refused:
        files_check(*schemas)
        return
    with pytest.raises(NotSupported, match=refused) as caught:
        files_check(*schemas)
    assert "OPTIMIZE" in caught.value.remedy


def test_either_side_refuses_a_column_under_another_id() -> None:
    known_here = Schema((column(4, "int", aliases=(3,)),)), Schema((column(3, "int"),))
    known_there = Schema((column(3, "int"),)), Schema((column(4, "int", aliases=(3,)),))
    for schemas in (known_here, known_there):
        with pytest.raises(NotSupported, match="column c under another id"):
            files_check(*schemas)
    files_check(Schema((column(4, "int", aliases=(3,)),)), Schema((column(4, "int"),)))


@pytest.mark.parametrize(("default", "is_refused"), [("5", True), ("null", False), (None, False)])
def test_a_default_of_old_rows_is_refused(default: str | None, is_refused: bool) -> None:
    schemas = Schema((column(1, "int"), column(2, "int", "e", initial_default=default))), Schema((column(1, "int"),))
    if not is_refused:
        files_check(*schemas)
        return
    with pytest.raises(NotSupported, match="column e read as its default 5"):
        files_check(*schemas)
