"""A schema made of its stored text is the same value as one made of its columns, whoever looks at it first."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from catalog_app.domain.schema import Column, Schema

SCHEMA = Schema((Column(1, "id", "bigint", nullable=False), Column(2, "m", "int", aliases=(4,))), (1,), (2,))
LOOKS: dict[str, Callable[[Schema], Any]] = {
    "columns": lambda schema: schema.columns,
    "primary key": lambda schema: schema.primary_key,
    "partition columns": lambda schema: schema.partition_columns,
    "a column by its alias": lambda schema: schema.column(4),
    "a column by its name": lambda schema: schema.named("M"),
    "JSON": lambda schema: schema.as_json(),
    "hash": hash,
    "text for people": repr,
    "copy": copy.deepcopy,
    "pickle": lambda schema: pickle.loads(pickle.dumps(schema)),
    "changed": lambda schema: schema.moved(2, 0),
}


def stored() -> Schema:
    return Schema.from_text(json.dumps(SCHEMA.as_json()))


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_the_first_access_finds_what_the_text_holds(look: Callable[[Schema], Any]) -> None:
    assert look(stored()) == look(SCHEMA)


def test_two_schemas_are_equal_by_their_columns() -> None:
    assert stored() == SCHEMA
    assert stored() != Schema(SCHEMA.columns, (), (2,))


def test_a_text_schema_lacks_what_no_schema_has() -> None:
    assert not hasattr(stored(), "rows")


def test_text_that_is_no_schema_fails_on_access() -> None:
    broken = Schema.from_text('{"columns": []}')
    with pytest.raises(KeyError, match="primary_key"):
        _ = broken.columns


def test_a_missing_key_is_known_without_access() -> None:
    tricky = Column(1, 'x", "primary_key": []', "int")
    for columns, key in ((SCHEMA.columns, ()), (SCHEMA.columns, (1,)), ((tricky,), (1,)), ((tricky,), ())):
        schema = Schema.from_text(json.dumps(Schema(columns, key).as_json()))
        assert schema.is_keyed is Schema(columns, key).is_keyed is bool(key)
    broken = Schema.from_text('{"columns": 7, "primary_key": []}')
    assert not broken.is_keyed
