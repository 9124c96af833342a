"""Random statements that came after the first histories: layouts, constraints, generated columns, clones, tables like
others, rows replaced by a condition, queries that write, whole rows compared with a source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from catalog_app.domain.checks import check_name
from tests.lineage.histories.chance_rows import KEYS, PARTITIONS, assignment, fresh_ids
from tests.lineage.histories.states import Shown, State

FIELDS = ("bucket(2, id)", "truncate(1, v)", "truncate(2, w)", "bucket(3, n)")
"""Transforms of columns that tables begin with."""


def wide_table_created(rng: Random, path: str) -> str:
    """A table with a layout, a clustering, a generated column or a constraint, with or without a key."""
    is_keyed = rng.random() < 0.4
    properties = {}
    if not is_keyed:
        properties["merge.conflicts"] = rng.choice(["file", "row", "row", "cell", "cell"])
    if is_keyed or properties["merge.conflicts"] == "cell":
        properties |= {f"merge.column.{c}": how for c, how in (("n", "sum"), ("tags", "union")) if rng.random() < 0.4}
    columns = [
        "id INT" + (" PRIMARY KEY" if is_keyed else ""),
        rng.choice(["v STRING", "v STRING DEFAULT 'd'", "v STRING CHECK (v <> 'never')"]),
        "w STRING",
        "n INT",
        "tags ARRAY<STRING>",
        "s STRUCT<a: INT, b: STRING>",
        "p STRING",
    ]
    if rng.random() < 0.3:
        columns.append("g STRING GENERATED ALWAYS AS (CASE WHEN v = 'x' THEN w ELSE v END)")
    laid = rng.sample(FIELDS, rng.choice([0, 0, 1, 2])) + (["p"] if rng.random() < 0.6 else [])
    parts = f" PARTITIONED BY ({', '.join(laid)})" if laid else ""
    cluster = rng.choice(["", "", " CLUSTER BY (v)", " CLUSTER BY (n, w)"])
    given = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
    return f"CREATE TABLE {path} ({', '.join(columns)}){parts}{cluster}" + (
        f" TBLPROPERTIES ({given})" if given else ""
    )


OfTable = Callable[[Random, Shown, str, "Elsewhere"], str | None]


class Elsewhere:
    """What a statement may read: states of branches, and versions that they had."""

    def __init__(self, states: Mapping[str, State], versions: Sequence[int]) -> None:
        self.states, self.versions = states, versions


def wide_statement(rng: Random, state: State, word: str, elsewhere: Elsewhere) -> str | None:
    """``word`` is of this statement alone. None: nothing fits."""
    tables = [state.tables[number] for number in sorted(state.tables)]
    if not tables:
        return None
    return rng.choice(_KINDS)(rng, rng.choice(tables), word, elsewhere)


def of_layout(rng: Random, table: Shown, word: str, elsewhere: Elsewhere) -> str | None:
    alter, field = f"ALTER TABLE {table.path}", rng.choice(FIELDS)
    kind = rng.choice(["ADD", "ADD", "DROP", "REPLACE", "CLUSTER", "CLUSTER"])
    if kind == "REPLACE":
        return f"{alter} REPLACE PARTITION FIELD {field} WITH {rng.choice(FIELDS)}"
    if kind == "CLUSTER":
        return f"{alter} CLUSTER BY {rng.choice(['NONE', '(v)', '(w, n)', '(id)'])}"
    return f"{alter} {kind} PARTITION FIELD {field}"


def of_checks(rng: Random, table: Shown, word: str, elsewhere: Elsewhere | None = None) -> str | None:
    """A constraint more or less."""
    alter = f"ALTER TABLE {table.path}"
    checks = [key for key in sorted(table.checks) if not check_name(key).startswith("generated")]
    if checks and rng.random() < 0.35:
        return f"{alter} DROP CONSTRAINT {check_name(rng.choice(checks))}"
    columns = [column for column in table.columns.values() if column.type in ("int", "bigint", "string")]
    column = rng.choice(columns)
    name = rng.choice(["common", f"c{word}"])
    if column.type == "string":
        return f"{alter} ADD CONSTRAINT {name} CHECK ({column.name} <> '{rng.choice('abo')}')"
    return f"{alter} ADD CONSTRAINT {name} CHECK ({column.name} < {rng.choice([3, 6, 50, 500])})"


def of_clones(rng: Random, table: Shown, word: str, elsewhere: Elsewhere) -> str | None:
    """A new table with what this one, or one of another branch, is or was."""
    name, kind = f"{table.database}.{rng.choice([f'c{word}', 'common'])}", rng.choice(["CLONE"] * 4 + ["LIKE", "AS"])
    if kind == "LIKE":
        return f"CREATE TABLE {name} LIKE {table.path}"
    branch = rng.choice(sorted(elsewhere.states))
    others = elsewhere.states[branch].tables
    other = rng.choice([others[number] for number in sorted(others)] or [table])
    path = f"{other.database}.`{other.name}@{branch}`"
    if kind == "AS":
        return f"CREATE TABLE {name} AS SELECT id, v, p FROM {path}" if _has(other, "v") else None
    past = f" VERSION AS OF {rng.choice(elsewhere.versions)}" if rng.random() < 0.3 else ""
    return f"CREATE TABLE {name} CLONE {table.path}{past}" if past else f"CREATE TABLE {name} CLONE {path}"


def of_replaced_rows(rng: Random, table: Shown, word: str, elsewhere: Elsewhere) -> str | None:
    if not _has(table, "v"):
        return None
    ids = sorted(table.rows)
    gone = rng.sample(ids, min(len(ids), rng.choice([0, 1, 2])))
    if rng.random() < 0.3:
        part, ids = rng.choice(PARTITIONS), fresh_ids(rng, table, word, 1)
        return f"INSERT INTO {table.path} (id, v, p) REPLACE WHERE p = '{part}' " + _values(ids, word, part, table)
    come = gone if table.is_keyed and rng.random() < 0.5 else fresh_ids(rng, table, word, rng.choice([0, 1, 1]))
    asked = ", ".join(map(str, sorted({*gone, *come} or {0})))
    part = rng.choice(PARTITIONS)
    return f"INSERT INTO {table.path} (id, v, p) REPLACE WHERE id IN ({asked}) " + _values(come, word, part, table)


def _values(ids: list[int], word: str, part: str, table: Shown) -> str:
    if not ids:
        return f"SELECT id, v, p FROM {table.path} WHERE id = -1"
    return "VALUES " + ", ".join(f"({i}, '{word}', '{part}')" for i in ids)


def of_rows_of_another_branch(rng: Random, table: Shown, word: str, elsewhere: Elsewhere) -> str | None:
    """All clauses of MERGE INTO. Rows of tables without a key are not inserted: two rows would have one id."""
    branch = rng.choice(sorted(elsewhere.states))
    others = elsewhere.states[branch].tables
    known = [others[number] for number in sorted(others) if _has(others[number], "v")]
    if not known or not _has(table, "v"):
        return None
    other = rng.choice(known)
    source = f"(SELECT id, v FROM {other.database}.`{other.name}@{branch}`)"
    clauses = [
        rng.choice(["WHEN MATCHED AND t.v <> s.v THEN UPDATE SET v = s.v", "WHEN MATCHED AND s.v = 'x' THEN DELETE"])
    ]
    if table.is_keyed and rng.random() < 0.6:
        clauses.append(f"WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, '{rng.choice(PARTITIONS)}')")
    if rng.random() < 0.5:
        act = rng.choice(["DELETE", f"UPDATE SET v = '{word}'"])
        clauses.append(f"WHEN NOT MATCHED BY SOURCE AND t.v = 'y' THEN {act}")
    return f"MERGE INTO {table.path} AS t USING {source} AS s ON t.id = s.id {' '.join(clauses)}"


def of_queries(rng: Random, table: Shown, word: str, elsewhere: Elsewhere) -> str | None:
    """Rows chosen by a subquery, of this table."""
    assigned = assignment(rng, table, word)
    where = f"id IN (SELECT max(id) FROM {table.path})"
    if assigned and rng.random() < 0.7:
        return f"UPDATE {table.path} SET {assigned} WHERE {where}"
    return f"DELETE FROM {table.path} WHERE {where}"


def of_replaced_tables(rng: Random, table: Shown, word: str, elsewhere: Elsewhere) -> str | None:
    """The table with other rows, or some of its own, and other columns."""
    if not _has(table, "v"):
        return None
    parts = " PARTITIONED BY (p)" if table.is_partitioned else ""
    i = rng.randrange(1, KEYS + 1) if table.is_keyed else fresh_ids(rng, table, word, 1)[0]
    query = rng.choice(
        [
            f"SELECT {i} AS id, '{word}' AS v, 'a' AS p",
            f"SELECT id, v, p FROM {table.path}",
            f"SELECT id, v, p, 1 AS c{word} FROM {table.path} WHERE v = 'o'",
        ]
    )
    if table.is_keyed:
        return None
    return f"CREATE OR REPLACE TABLE {table.path}{parts} AS {query}"


def of_defaults(rng: Random, table: Shown, word: str, elsewhere: Elsewhere) -> str | None:
    columns = [column for column in table.columns.values() if column.type in ("int", "string") and column.name != "id"]
    if not columns:
        return None
    column = rng.choice(columns)
    value = f"'{word}'" if column.type == "string" else str(rng.choice([1, 5]))
    change = rng.choice([f"SET DEFAULT {value}", "DROP DEFAULT"])
    return f"ALTER TABLE {table.path} ALTER COLUMN {column.name} {change}"


def _has(table: Shown, name: str) -> bool:
    column = table.named(name)
    return column is not None and column.type == "string"


_KINDS: tuple[OfTable, ...] = (
    of_layout,
    of_layout,
    of_checks,
    of_clones,
    of_replaced_rows,
    of_replaced_rows,
    of_rows_of_another_branch,
    of_queries,
    of_replaced_tables,
    of_defaults,
)
