"""One random statement that fits what a branch shows."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.lineage.histories.chance_columns import of_columns
from tests.lineage.histories.chance_objects import of_objects, of_table
from tests.lineage.histories.chance_rows import of_partitions, of_rows
from tests.lineage.histories.states import Shown, State

OfTable = Callable[[Random, Shown, str], str | None]
OF_TABLE: tuple[OfTable, ...] = (of_rows, of_partitions, of_columns, of_table)
THEMES: dict[str, tuple[int, ...]] = {
    "rows": (12, 0, 0, 0, 0),
    "rows and partitions": (12, 10, 0, 0, 0),
    "rows and columns": (10, 0, 7, 1, 0),
    "rows, partitions and columns": (10, 7, 5, 0, 0),
    "rows and drops": (10, 2, 0, 4, 4),
    "objects": (3, 1, 3, 6, 6),
    "everything": (10, 4, 4, 3, 2),
}
"""How often rows, partitions, columns, one table, and objects are changed."""


def table_created(rng: Random, path: str) -> str:
    """A table with or without a key, partitioned or not, merged in any way."""
    is_keyed, is_partitioned = rng.random() < 0.4, rng.random() < 0.6
    properties = {}
    if not is_keyed:
        properties["merge.conflicts"] = rng.choice(["file", "row", "row", "cell", "cell"])
    if is_keyed or properties["merge.conflicts"] == "cell":
        properties |= {f"merge.column.{c}": how for c, how in (("n", "sum"), ("tags", "union")) if rng.random() < 0.6}
    key = " PRIMARY KEY" if is_keyed else ""
    columns = f"id INT{key}, v STRING, w STRING, n INT, tags ARRAY<STRING>, s STRUCT<a: INT, b: STRING>, p STRING"
    parts = " PARTITIONED BY (p)" if is_partitioned else ""
    given = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
    return f"CREATE TABLE {path} ({columns}){parts}" + (f" TBLPROPERTIES ({given})" if given else "")


def statement_by_chance(rng: Random, state: State, word: str, theme: str) -> str | None:
    """``word`` is of this statement alone. None: nothing fits."""
    *of_tables, of_object = THEMES[theme]
    (of,) = rng.choices([*OF_TABLE, None], [*of_tables, of_object])
    if of is None:
        return of_objects(rng, state, word, table_created)
    tables = [state.tables[number] for number in sorted(state.tables)]
    return of(rng, rng.choice(tables), word) if tables else None
