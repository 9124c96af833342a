"""Random statements that the other generators do not make: settings of merges that change, columns that come again or
move, names that are taken again, and MERGE INTO with all columns or another schema.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.lineage.histories.chance_rows import PARTITIONS, assignment, but_not, fresh_ids
from tests.lineage.histories.states import Shown, State

MERGED_BY = {"n": "sum", "tags": "union"}
OF_FIRST_COLUMNS = {"v": "STRING", "w": "STRING", "n": "INT", "tags": "ARRAY<STRING>"}


def further_statement(rng: Random, state: State, word: str) -> str | None:
    """``word`` is of this statement alone. None: nothing fits."""
    if rng.random() < 0.2:
        return of_old_names(rng, state, word)
    tables = [state.tables[number] for number in sorted(state.tables)]
    return rng.choice(_KINDS)(rng, rng.choice(tables), word) if tables else None


def of_settings(rng: Random, table: Shown, word: str) -> str | None:
    """What counts as a conflict, and what becomes of a cell that both sides changed."""
    alter = f"ALTER TABLE {table.path}"
    name = rng.choice(["merge.conflicts", *(f"merge.column.{column}" for column in MERGED_BY)])
    if name in table.properties and rng.random() < 0.5:
        return f"{alter} UNSET TBLPROPERTIES ('{name}')"
    value = MERGED_BY.get(name.rpartition(".")[2]) or rng.choice(["file", "row", "cell"])
    return f"{alter} SET TBLPROPERTIES ('{name}' = '{value}')"


def of_places(rng: Random, table: Shown, word: str) -> str | None:
    names = [column.name for column in table.columns.values()]
    if len(names) < 2:
        return None
    moved, other = rng.sample(names, 2)
    return f"ALTER TABLE {table.path} ALTER COLUMN {moved} {rng.choice(['FIRST', f'AFTER {other}'])}"


def of_columns_again(rng: Random, table: Shown, word: str) -> str | None:
    """A column goes, or another one comes under a name that one had before."""
    gone = [name for name in OF_FIRST_COLUMNS if table.named(name) is None]
    if gone:
        name = rng.choice(gone)
        default = f" DEFAULT '{word}'" if OF_FIRST_COLUMNS[name] == "STRING" and rng.random() < 0.5 else ""
        return f"ALTER TABLE {table.path} ADD COLUMN {name} {OF_FIRST_COLUMNS[name]}{default}"
    return f"ALTER TABLE {table.path} DROP COLUMN {rng.choice(list(OF_FIRST_COLUMNS))}"


def of_renamed_columns(rng: Random, table: Shown, word: str) -> str | None:
    """Names wander: a name is given away, and taken by another column."""
    texts = [column.name for column in table.columns.values() if column.type == "string" and column.name != "p"]
    free = [name for name in ("v", "w", "x") if table.named(name) is None]
    if not texts or not free:
        return None
    return f"ALTER TABLE {table.path} RENAME COLUMN {rng.choice(texts)} TO {rng.choice(free)}"


def of_whole_rows(rng: Random, table: Shown, word: str) -> str | None:
    """MERGE WITH SCHEMA EVOLUTION by all columns of a source that lacks some and has others."""
    ids = sorted(table.rows)
    met = rng.sample(ids, min(len(ids), rng.choice([0, 1, 2])))
    new = fresh_ids(rng, table, word, rng.choice([0, 1]))
    if not met + new or table.named("v") is None:
        return None
    extra = rng.choice(["", "", f", 5 AS e{word}", ", 6 AS common", f", '{word}' AS w"])
    part = rng.choice(PARTITIONS)
    rows = " UNION ALL ".join(f"SELECT {i} AS id, '{word}' AS v, '{part}' AS p{extra}" for i in met + new)
    clauses = [rng.choice(["WHEN MATCHED THEN UPDATE SET *", "WHEN MATCHED AND t.v <> 'x' THEN UPDATE SET *"])]
    if rng.random() < 0.3:
        clauses.insert(0, "WHEN MATCHED AND t.v = 'o' THEN DELETE")
    if new:
        clauses.append(f"WHEN NOT MATCHED{but_not(met, table)} THEN INSERT *")
    if rng.random() < 0.3 and (assigned := assignment(rng, table, word)):
        clauses.append(f"WHEN NOT MATCHED BY SOURCE AND t.id = {rng.choice(ids or [0])} THEN UPDATE SET {assigned}")
    return f"MERGE WITH SCHEMA EVOLUTION INTO {table.path} AS t USING ({rows}) AS s ON t.id = s.id {' '.join(clauses)}"


def of_fields(rng: Random, table: Shown, word: str) -> str | None:
    """Fields of a struct get values, alone or all at once."""
    column = table.named("s")
    if column is None or not column.parsed.fields:
        return None
    ids = sorted(table.rows)
    chosen = rng.sample(ids, min(len(ids), rng.choice([1, 1, 2, 4])))
    where = f"id IN ({', '.join(map(str, chosen)) or 0})"

    def value(kind: str) -> str:
        return rng.choice([f"'{word}'", "'x'", "NULL"] if kind == "string" else ["1", "2", "NULL"])

    if rng.random() < 0.4:
        field = rng.choice(column.parsed.fields)
        return f"UPDATE {table.path} SET s.{field.name} = {value(field.type.text)} WHERE {where}"
    given = ", ".join(f"'{field.name}', {value(field.type.text)}" for field in column.parsed.fields)
    return f"UPDATE {table.path} SET s = {rng.choice([f'named_struct({given})'] * 4 + ['NULL'])} WHERE {where}"


def of_changed_fields(rng: Random, table: Shown, word: str) -> str | None:
    """Fields of a struct come, go, wander and widen."""
    column = table.named("s")
    if column is None:
        return None
    alter, fields = f"ALTER TABLE {table.path}", [field.name for field in column.parsed.fields]
    field = rng.choice(column.parsed.fields)
    free = [name for name in ("a", "b", "common") if name not in fields]
    found = [f"{alter} ADD COLUMN s.f{word} {rng.choice(['INT', 'STRING'])}{rng.choice(['', ' FIRST'])}"]
    if free:
        found += [f"{alter} RENAME COLUMN s.{field.name} TO {rng.choice(free)}"]
        found += [f"{alter} ADD COLUMN s.{rng.choice(free)} {rng.choice(['INT', 'STRING', 'BIGINT'])}"]
    if field.type.text == "int":
        found.append(f"{alter} ALTER COLUMN s.{field.name} TYPE BIGINT")
    if len(fields) > 1:
        found.append(f"{alter} DROP COLUMN s.{field.name}")
        moved, other = rng.sample(fields, 2)
        found.append(f"{alter} ALTER COLUMN s.{moved} AFTER {other}")
    return rng.choice(found)


def of_branch_rows(rng: Random, table: Shown, word: str) -> str | None:
    """All rows, updated or deleted without a condition."""
    if rng.random() < 0.3:
        return f"DELETE FROM {table.path}"
    assigned = assignment(rng, table, word)
    return f"UPDATE {table.path} SET {assigned}" if assigned else None


def of_old_names(rng: Random, state: State, word: str) -> str | None:
    """A dropped object comes back under another name, and a table moves to a name that another one had."""
    dropped = [name for kind, name in state.dropped if kind == "TABLE"]
    if dropped and rng.random() < 0.6:
        name = rng.choice(dropped)
        return f"UNDROP TABLE {name} AS {rng.choice([f'u{word}', 'common', name.split('.')[1]])}"
    tables = [state.tables[number] for number in sorted(state.tables)]
    if not tables:
        return None
    table = rng.choice(tables)
    taken = {item.path for item in tables}
    names = [*dropped, "d1.t0", "d2.t1", f"{table.database}.common"]
    free = [name for name in names if name not in taken and name.split(".")[0] in state.databases]
    return f"ALTER TABLE {table.path} RENAME TO {rng.choice(free)}" if free else None


_KINDS: tuple[Callable[[Random, Shown, str], str | None], ...] = (
    of_settings,
    of_places,
    of_columns_again,
    of_columns_again,
    of_renamed_columns,
    of_whole_rows,
    of_whole_rows,
    of_branch_rows,
    of_fields,
    of_fields,
    of_changed_fields,
)
