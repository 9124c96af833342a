"""Random statements on columns of one table, and on fields of its struct."""

from __future__ import annotations

from random import Random

from catalog_app.domain.checks import is_check
from tests.lineage.histories.states import Shown

KEPT = ("id", "p")
"""Columns that stay: rows are known by them."""
OTHER_KINDS = {"int": "STRING", "bigint": "STRING", "string": "INT"}
"""Types that no alteration makes of each other."""


def of_columns(rng: Random, table: Shown, word: str) -> str | None:
    alter = f"ALTER TABLE {table.path}"
    choices = (
        [*_added(rng, alter, word)] * 2 + [*_changed(rng, table, alter, word)] + [*_nested(rng, table, alter, word)]
    )
    return rng.choice([*choices, replaced(rng, table, word)])


def replaced(rng: Random, table: Shown, word: str) -> str:
    """The table without rows, its columns in another order; some gone, some of another type, one new."""
    found = [f"c{word} INT"] if rng.random() < 0.5 else []
    for column in table.columns.values():
        kind = column.type
        if column.name not in KEPT:
            if rng.random() < 0.15:
                continue
            if rng.random() < 0.2:
                kind = {"int": "BIGINT", **(OTHER_KINDS if column.name.startswith("c") else {})}.get(kind, kind)
        of = f"{column.name} {kind}" + ("" if column.nullable else " NOT NULL")
        found.append(of + (f" DEFAULT {column.default}" if column.default is not None and kind == column.type else ""))
    rng.shuffle(found)
    key = ", PRIMARY KEY (id)" if table.is_keyed else ""
    parts = " PARTITIONED BY (p)" if table.is_partitioned else ""
    stated = {name: value for name, value in table.properties.items() if not is_check(name)}
    given = ", ".join(f"'{name}' = '{value}'" for name, value in stated.items())
    properties = f" TBLPROPERTIES ({given})" if given else ""
    return f"CREATE OR REPLACE TABLE {table.path} ({', '.join(found)}{key}){parts}{properties}"


def _added(rng: Random, alter: str, word: str) -> list[str]:
    name = rng.choice([f"c{word}", f"c{word}", "common"])
    of = rng.choice(["INT", "BIGINT", "STRING", "STRING DEFAULT 'd'", "INT NOT NULL DEFAULT 7", "STRING NOT NULL"])
    return [f"{alter} ADD COLUMN {name} {of}"]


def _changed(rng: Random, table: Shown, alter: str, word: str) -> list[str]:
    free = [column for column in table.columns.values() if column.name not in KEPT]
    if not free:
        return []
    column, found = rng.choice(free), []
    name = column.name
    found.append(f"{alter} RENAME COLUMN {name} TO c{word}")
    found.append(f"{alter} ALTER COLUMN {name} COMMENT '{word}'")
    if name not in ("n", "tags"):
        found.append(f"{alter} DROP COLUMN {name}")
    if column.type == "int":
        found += [f"{alter} ALTER COLUMN {name} TYPE BIGINT"] * 2
    if column.type == "string":
        found.append(f"{alter} ALTER COLUMN {name} SET DEFAULT '{word}'")
        found.append(f"{alter} ALTER COLUMN {name} {'SET' if column.nullable else 'DROP'} NOT NULL")
    return found


def _nested(rng: Random, table: Shown, alter: str, word: str) -> list[str]:
    """The first fields of struct ``s`` are ``a`` and ``b``; others are called by words."""
    column = table.named("s")
    if column is None:
        return []
    fields = [item.split(":")[0] for item in column.type.removeprefix("struct<").removesuffix(">").split(",")]
    field, found = rng.choice(fields), [f"{alter} ADD COLUMN s.f{word} {rng.choice(['INT', 'STRING'])}"]
    found.append(f"{alter} ADD COLUMN s.common INT")
    found.append(f"{alter} RENAME COLUMN s.{field} TO f{word}")
    if f"{field}:int" in column.type:
        found.append(f"{alter} ALTER COLUMN s.{field} TYPE BIGINT")
    if len(fields) > 1:
        found.append(f"{alter} DROP COLUMN s.{field}")
    return found
