"""Under which type values of an older type are read, field by field."""

from __future__ import annotations

import pytest

from catalog_app.domain.nested import fields_within, read_type, typed_like
from catalog_app.domain.types import parse_type


@pytest.mark.parametrize(
    ("wanted", "written", "read"),
    [
        ("struct<x:int>", "struct<x:int>", "struct<x:int>"),
        ("struct<y:int,x:bigint>", "struct<x:int,y:int,z:int>", "struct<y:int,x:bigint>"),
        ("struct<x:int,z:date>", "struct<x:int>", "struct<x:int,z:date>"),
        ("struct<X:int>", "struct<x:int>", "struct<x:int>"),
        ("array<struct<x:bigint,n:int>>", "array<struct<x:int>>", "array<struct<x:bigint,n:int>>"),
        ("map<string,array<double>>", "map<string,array<float>>", "map<string,array<double>>"),
        # A restore can make a type narrower: what was written is read, and cast.
        ("struct<x:int>", "struct<x:bigint>", "struct<x:bigint>"),
    ],
)
def test_fields_without_ids_are_found_by_name(wanted: str, written: str, read: str) -> None:
    assert read_type(parse_type(wanted), parse_type(written)).text == read


def test_every_field_is_named_in_text_order() -> None:
    kind = parse_type("struct<a:array<struct<`b c`:int>>,m:map<int,string>>")
    assert [field.name for field in fields_within(kind)] == ["a", "element", "b c", "m", "key", "value"]


@pytest.mark.parametrize(
    ("given", "known", "typed"),
    [
        ("struct<b:bigint,a:string>", "struct<a:string,b:int>", "struct<b:int,a:string>"),
        ("struct<c:double>", "struct<a:string>", "struct<c:double>"),
        ("array<bigint>", "array<decimal(5,2)>", "array<decimal(5,2)>"),
        ("string", "struct<a:string>", "string"),
        ("struct<a:int>", "string", "struct<a:int>"),
        ("bigint", "tinyint", "tinyint"),
    ],
)
def test_known_types_are_taken_field_by_field(given: str, known: str, typed: str) -> None:
    assert typed_like(parse_type(given), parse_type(known)).text == typed
