"""Random statements on columns of all types, on fields inside of arrays and maps, and on partitions by two columns."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from catalog_app.domain.types import ParsedType
from tests.lineage.histories.chance_rows import PARTITIONS, fresh_ids
from tests.lineage.histories.states import Shown

VALUES = {
    "boolean": ("true", "false"),
    "tinyint": ("1Y", "-128Y"),
    "smallint": ("7S", "-32768S"),
    "int": ("1", "2", "-2147483648"),
    "bigint": ("1L", "9223372036854775807L"),
    "float": ("1.5F", "float('NaN')", "float('-Infinity')"),
    "double": ("1.5D", "double('NaN')", "1e300D"),
    "decimal": ("1.50", "-99999.99", "0.00"),
    "string": ("'x'", "'y'", "''", "'ü𝄞'", "'it''s'"),
    "varchar": ("'ab'", "''", "'a b'"),
    "char": ("'ab'", "'abcd'"),
    "binary": ("X'00ff'", "X''"),
    "date": ("DATE'2024-02-29'", "DATE'0001-01-01'", "DATE'1582-10-10'"),
    "timestamp": ("TIMESTAMP'2024-07-01 00:00:00.123456'", "TIMESTAMP'1900-01-01 00:00:00'"),
    "timestamp_ntz": ("TIMESTAMP_NTZ'2024-01-01 00:00:00.1'", "TIMESTAMP_NTZ'1582-10-10 23:59:59'"),
}
WIDER = {
    "tinyint": ("smallint", "bigint"),
    "smallint": ("int",),
    "int": ("bigint",),
    "float": ("double",),
    "decimal(7,2)": ("decimal(9,2)", "decimal(30,2)"),
    "varchar(5)": ("varchar(9)", "string"),
    "date": ("timestamp_ntz",),
}
FLAT = ("boolean", "smallint", "bigint", "float", "double", "decimal(7,2)", "varchar(5)", "char(4)", "binary", "date",
        "timestamp", "timestamp_ntz")  # fmt: skip
NESTED = (
    "array<struct<x:int,y:string>>",
    "map<string,struct<q:int,r:date>>",
    "struct<a:int,l:array<struct<b:decimal(7,2)>>>",
    "array<array<int>>",
    "map<int,array<string>>",
    "struct<t:struct<u:smallint,w:string>,z:timestamp>",
)
OF_PARTITIONS = ("int", "date", "decimal(7,2)", "string", "boolean", "timestamp_ntz", "bigint")
OF_KEYS = {"string": "'k'", "date": "DATE'2024-01-01'", "decimal(7,2)": "1.50", "bigint": "7L", "boolean": "true",
           "timestamp": "TIMESTAMP'2024-01-01 00:00:00'", "binary": "X'0a'"}  # fmt: skip


def typed_table_created(rng: Random, path: str) -> str:
    is_keyed = rng.random() < 0.45
    columns = ["id INT", "v STRING", "w STRING", "n INT", "tags ARRAY<STRING>", "s STRUCT<a: INT, b: STRING>"]
    rng.shuffle(columns)
    columns += ["p STRING"]
    columns += [f"x{at} {kind}" for at, kind in enumerate(rng.sample(FLAT, 3) + rng.sample(NESTED, 2))]
    parts = []
    if rng.random() < 0.7:
        kind = rng.choice(OF_PARTITIONS)
        columns.append(f"q {kind}")
        hidden = [["bucket(2, q)", "p"]] if kind != "boolean" else []
        parts = rng.choice([["p", "q"], ["q", "p"], ["q"], ["p"], *hidden])
    properties = {} if is_keyed else {"merge.conflicts": rng.choice(["file", "row", "row", "cell", "cell"])}
    if is_keyed or properties["merge.conflicts"] == "cell":
        properties |= {f"merge.column.{c}": how for c, how in (("n", "sum"), ("tags", "union")) if rng.random() < 0.4}
    if is_keyed:
        kind = rng.choice([*OF_KEYS, ""])
        if kind:
            columns.append(f"k {kind} NOT NULL DEFAULT {OF_KEYS[kind]}")
        columns.append(f"PRIMARY KEY ({rng.choice(['id, k', 'k, id']) if kind else 'id'})")
    laid = f" PARTITIONED BY ({', '.join(parts)})" if parts else ""
    given = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
    return f"CREATE TABLE {path} ({', '.join(columns)}){laid}" + (f" TBLPROPERTIES ({given})" if given else "")


def literal(rng: Random, kind: ParsedType) -> str:
    """A value of the type as SQL."""
    if rng.random() < 0.12:
        return f"CAST(NULL AS {kind.text})"
    fields = {field.name: field.type for field in kind.fields}
    match kind.name:
        case "struct":
            given = ", ".join(f"'{name}', {literal(rng, of)}" for name, of in fields.items())
            return f"named_struct({given})"
        case "array":
            values = [literal(rng, fields["element"]) for _ in range(rng.choice([0, 1, 1, 2]))]
            return f"CAST(array({', '.join(values)}) AS {kind.text})"
        case "map":
            keys = rng.sample(VALUES[fields["key"].name][:2], rng.choice([0, 1, 2]))
            pairs = ", ".join(f"{key}, {literal(rng, fields['value'])}" for key in keys)
            return f"CAST(map({pairs}) AS {kind.text})"
    value = rng.choice(VALUES[kind.name])
    return f"CAST({value} AS {kind.text})" if kind.parameters and kind.name == "decimal" else value


def typed_statement(rng: Random, table: Shown, word: str) -> str | None:
    return rng.choice(_KINDS)(rng, table, word)


def _chosen(rng: Random, table: Shown) -> str:
    ids = sorted(table.rows)
    chosen = rng.sample(ids, min(len(ids), rng.choice([1, 1, 2, 3])))
    return f"id IN ({', '.join(map(str, sorted(chosen))) or 0})"


def _typed(table: Shown) -> list[str]:
    return [c.name for c in table.columns.values() if c.name not in ("id", "v", "w", "n", "tags", "p", "k", "s")]


def of_cells(rng: Random, table: Shown, word: str) -> str | None:
    names = _typed(table)
    if not names:
        return None
    chosen = rng.sample(names, min(len(names), rng.choice([1, 1, 2])))
    said = []
    for name in chosen:
        column = table.named(name)
        assert column is not None
        said.append(f"{name} = {literal(rng, column.parsed)}")
    where = _chosen(rng, table)
    if rng.random() < 0.25:
        name = rng.choice(names)
        column = table.named(name)
        assert column is not None
        where = f"{name} IS {rng.choice(['', 'NOT '])}NULL"
        if not column.parsed.fields and rng.random() < 0.6:
            where = f"{name} {rng.choice(['=', '<=>', '>', '<='])} {literal(rng, column.parsed)}"
    if rng.random() < 0.15:
        return f"DELETE FROM {table.path} WHERE {where}"
    return f"UPDATE {table.path} SET {', '.join(said)} WHERE {where}"


def of_new_rows(rng: Random, table: Shown, word: str) -> str | None:
    ids = fresh_ids(rng, table, word, rng.choice([1, 2, 3]))
    if not ids:
        return None
    names = _typed(table)
    rows = []
    for i in ids:
        cells = [literal(rng, column.parsed) for name in names if (column := table.named(name)) is not None]
        rows.append(f"({', '.join([str(i), repr(rng.choice(PARTITIONS)), *cells])})")
    return f"INSERT INTO {table.path} ({', '.join(['id', 'p', *names])}) VALUES {', '.join(rows)}"


def of_inner_fields(rng: Random, table: Shown, word: str) -> str | None:
    """Fields of structs at any depth come, go, wander and widen."""
    alter = f"ALTER TABLE {table.path}"
    columns = [c for c in table.columns.values() if c.parsed.fields and c.name != "tags"]
    if not columns:
        return None
    column = rng.choice(columns)
    found: list[str] = []
    for path, kind in _structs(column.name, column.parsed):
        free = [name for name in (f"f{word}", "common") if name not in {field.name for field in kind.fields}]
        place = rng.choice(["", "", " FIRST", f" AFTER {kind.fields[0].name}"])
        of = rng.choice(["INT", "STRING", "DATE", "DECIMAL(7,2)", "STRUCT<g: INT>", "ARRAY<INT>"])
        found += [f"{alter} ADD COLUMN {path}.{name} {of}{place}" for name in free]
        for field in kind.fields:
            found.append(f"{alter} RENAME COLUMN {path}.{field.name} TO {rng.choice([f'r{word}', 'other'])}")
            if len(kind.fields) > 1:
                found.append(f"{alter} DROP COLUMN {path}.{field.name}")
            wider = WIDER.get(field.type.text)
            if wider:
                found += [f"{alter} ALTER COLUMN {path}.{field.name} TYPE {rng.choice(wider)}"] * 2
    return rng.choice(found) if found else None


def _structs(path: str, kind: ParsedType) -> list[tuple[str, ParsedType]]:
    found = [(path, kind)] if kind.name == "struct" else []
    for field in kind.fields:
        if field.name != "key" or kind.name != "map":
            found += _structs(f"{path}.{field.name}", field.type)
    return found


def of_types(rng: Random, table: Shown, word: str) -> str | None:
    alter = f"ALTER TABLE {table.path}"
    found = [f"{alter} ADD COLUMN x{word} {rng.choice(FLAT + NESTED)}"]
    for name in _typed(table):
        column = table.named(name)
        assert column is not None
        if wider := WIDER.get(column.type):
            found += [f"{alter} ALTER COLUMN {name} TYPE {rng.choice(wider)}"] * 3
        if name != "q":
            found.append(f"{alter} RENAME COLUMN {name} TO x{word}")
            found.append(f"{alter} DROP COLUMN {name}")
    return rng.choice(found)


def of_typed_partitions(rng: Random, table: Shown, word: str) -> str | None:
    column = table.named("q")
    if column is None or not table.is_partitioned:
        return None
    alter, values = f"ALTER TABLE {table.path}", (*VALUES[column.parsed.name], "NULL")
    old, new = rng.choice(values), rng.choice(values)
    held = [row[column.id] for row in table.rows.values()]
    if held and rng.random() < 0.8:
        value = rng.choice(held)
        old = "NULL" if value is None else f"'{value}'"
    p, r = rng.choice(PARTITIONS), rng.choice(PARTITIONS)
    return rng.choice(
        [
            f"{alter} PARTITION (p = '{p}', q = {old}) RENAME TO PARTITION (p = '{r}', q = {new})",
            f"{alter} PARTITION (p = '{p}', q = {old}) RENAME TO PARTITION (p = '{p}', q = {new})",
            f"{alter} PARTITION (q = {old}) RENAME TO PARTITION (q = {new})",
            f"{alter} DROP PARTITION (q = {old})",
            f"{alter} DROP PARTITION (p = '{p}', q = {old})",
            f"{alter} ADD PARTITION (p = '{p}', q = {new})",
            f"DELETE FROM {table.path} WHERE q = {old}",
            f"UPDATE {table.path} SET q = {new} WHERE q = {old}",
        ]
    )


_KINDS: tuple[Callable[[Random, Shown, str], str | None], ...] = (
    of_cells,
    of_cells,
    of_cells,
    of_new_rows,
    of_new_rows,
    of_inner_fields,
    of_inner_fields,
    of_types,
    of_typed_partitions,
)
