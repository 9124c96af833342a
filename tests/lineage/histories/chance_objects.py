"""Random statements on tables and databases as objects."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.lineage.histories.states import Shown, State


def of_table(rng: Random, table: Shown, word: str) -> str | None:
    alter = f"ALTER TABLE {table.path}"
    kind = rng.choice(["set"] * 3 + ["unset"] * 2 + ["rename", "rename", "comment", "drop"])
    if kind == "set":
        return f"{alter} SET TBLPROPERTIES ('{rng.choice('xy')}' = '{word}')"
    if kind == "unset":
        names = [name for name in table.properties if name in "xy"]
        return f"{alter} UNSET TBLPROPERTIES ('{rng.choice(names)}')" if names else None
    if kind == "rename":
        database = rng.choice([table.database, "d1", "d2"])
        name = rng.choice([table.name, f"t{word}", "common"])
        return f"{alter} RENAME TO {database}.{name}" if f"{database}.{name}" != table.path else None
    if kind == "comment":
        return f"COMMENT ON TABLE {table.path} IS '{word}'"
    return f"DROP TABLE {table.path}"


def of_objects(rng: Random, state: State, word: str, table_created: Callable[[Random, str], str]) -> str | None:
    """Of databases; and what makes tables, or brings them back."""
    if state.dropped and rng.random() < 0.6:
        kind, name = rng.choice(state.dropped)
        return f"UNDROP {kind} {name}"
    if not state.databases:
        return f"CREATE DATABASE d{word}"
    name = rng.choice(sorted(state.databases))
    kind = rng.choice(["set"] * 3 + ["unset"] * 2 + ["rename", "drop", "create table", "create database"])
    if kind == "set":
        return f"ALTER DATABASE {name} SET DBPROPERTIES ('x' = '{word}')"
    if kind == "unset":
        return f"ALTER DATABASE {name} UNSET DBPROPERTIES ('x')" if "x" in state.databases[name] else None
    if kind == "rename":
        return f"ALTER DATABASE {name} RENAME TO d{word}"
    if kind == "drop":
        return f"DROP DATABASE {name} CASCADE"
    if kind == "create table":
        return table_created(rng, f"{name}.{rng.choice([f't{word}', 'common'])}")
    return f"CREATE DATABASE {rng.choice([f'd{word}', 'common'])}"
