"""Random statements on rows and partitions of one table. Fresh rows of tables without a key have fresh ids."""

from __future__ import annotations

from random import Random

from tests.lineage.histories.states import Shown

PARTITIONS = "abcd"
KEYS = 7


def fresh_ids(rng: Random, table: Shown, word: str, count: int) -> list[int]:
    """Ids that no row of the table has: keys are few, so that branches insert the same ones."""
    if table.is_keyed:
        free = [key for key in range(1, KEYS + 1) if key not in table.rows]
        return rng.sample(free, min(count, len(free)))
    first = 100 * (1 + int("".join(filter(str.isdigit, word)))) + {"s": 0, "y": 20}.get(word[0], 10)
    return [first + at for at in range(count)]


def values_of(rng: Random, ids: list[int], word: str, part: str) -> str:
    def row(i: int) -> str:
        v, w = (rng.choice([f"'{word}'", f"'{word}'", "'x'", "'y'", "NULL"]) for _ in range(2))
        held = rng.choice(["NULL", "array()", tags(rng, word)])
        return f"({i}, {v}, {w}, {rng.choice([0, 1, 10])}, {held}, '{part}')"

    return ", ".join(map(row, ids))


def tags(rng: Random, word: str) -> str:
    chosen = rng.sample(["x", "y", "z", word], 2)
    return f"array({', '.join(repr(item) for item in chosen)})"


COLUMNS = ("id", "v", "w", "n", "tags", "p")


def of_rows(rng: Random, table: Shown, word: str) -> str | None:
    kind = rng.choice(
        ["insert"] * 5 + ["update"] * 8 + ["delete"] * 4 + ["merge"] * 3 + ["overwrite", "truncate", "key"]
    )
    return _ROWS[kind](rng, table, word)


def _insert(rng: Random, table: Shown, word: str) -> str | None:
    ids = fresh_ids(rng, table, word, rng.choice([1, 1, 2, 3]))
    part = rng.choice(sorted(table.partitions) or ["a"]) if rng.random() < 0.7 else rng.choice(PARTITIONS)
    return _into(rng, table, "INTO", ids, word, part) if ids else None


def _into(rng: Random, table: Shown, into: str, ids: list[int], word: str, part: str) -> str | None:
    if any(table.named(name) is None for name in COLUMNS):
        return f"INSERT {into} {table.path} (id, p) VALUES " + ", ".join(f"({i}, '{part}')" for i in ids)
    return f"INSERT {into} {table.path} ({', '.join(COLUMNS)}) VALUES {values_of(rng, ids, word, part)}"


def _where(rng: Random, table: Shown) -> str:
    ids = sorted(table.rows)
    if rng.random() < 0.15 and table.is_partitioned and table.partitions:
        return f"p = '{rng.choice(sorted(table.partitions))}'"
    chosen = rng.sample(ids, min(len(ids), rng.choice([1, 1, 1, 2, 3])))
    return f"id IN ({', '.join(map(str, sorted(chosen)))})" if chosen else "id = 0"


def assignment(rng: Random, table: Shown, word: str) -> str | None:
    """Of one or two columns that are there."""
    texts = [c for c in table.columns.values() if c.type == "string" and c.name != "p"]
    found = []
    if texts:
        chosen = rng.sample(texts, rng.choice([1, 1, min(2, len(texts))]))
        found = [f"{c.name} = {rng.choice([repr(word), repr(word), repr('x'), 'NULL'])}" for c in chosen]
    if table.named("n") and rng.random() < 0.3:
        found = [f"n = n + {rng.choice([1, 10, -1])}", *found[: rng.randrange(2)]]
    if table.named("tags") and rng.random() < 0.2:
        found = [f"tags = {tags(rng, word)}"]
    if rng.random() < 0.12:
        found.append(f"p = '{rng.choice(PARTITIONS)}'")
    wide = [c for c in table.columns.values() if c.name.startswith("c") and c.type in ("int", "bigint")]
    if wide and rng.random() < 0.4:
        found.append(f"{rng.choice(wide).name} = {rng.choice([1, 2, 3])}")
    return ", ".join(found) or None


def _update(rng: Random, table: Shown, word: str) -> str | None:
    assigned = assignment(rng, table, word)
    return f"UPDATE {table.path} SET {assigned} WHERE {_where(rng, table)}" if assigned else None


def _delete(rng: Random, table: Shown, word: str) -> str | None:
    return f"DELETE FROM {table.path} WHERE {_where(rng, table)}"


def _merge(rng: Random, table: Shown, word: str) -> str | None:
    ids = sorted(table.rows)
    met = rng.sample(ids, min(len(ids), rng.choice([0, 1, 2])))
    new = fresh_ids(rng, table, word, rng.choice([0, 1]))
    names = [name for name in ("v", "w") if table.named(name)]
    if not names or not met + new:
        return None
    name, rows = rng.choice(names), " UNION ALL ".join(f"SELECT {i} AS id, '{word}' AS x" for i in met + new)
    matched = rng.choice([f"UPDATE SET {name} = s.x", f"UPDATE SET {name} = s.x", "DELETE"])
    clauses = [f"WHEN MATCHED THEN {matched}"]
    if new or rng.random() < 0.3:
        values = f"(id, {name}, p) VALUES (s.id, s.x, '{rng.choice(PARTITIONS)}')"
        clauses.append(f"WHEN NOT MATCHED{but_not(met, table)} THEN INSERT {values}")
    return f"MERGE INTO {table.path} AS t USING ({rows}) AS s ON t.id = s.id {' '.join(clauses)}"


def but_not(met: list[int], table: Shown) -> str:
    """Rows that the transaction deleted before would be inserted as other rows, beside those of other branches."""
    return "" if table.is_keyed or not met else f" AND s.id NOT IN ({', '.join(map(str, met))})"


def _overwrite(rng: Random, table: Shown, word: str) -> str | None:
    if not table.is_keyed:
        return _into(rng, table, "OVERWRITE", fresh_ids(rng, table, word, 1), word, "a")
    return _into(rng, table, "OVERWRITE", [rng.randrange(1, KEYS + 1)], word, "a")


def _truncate(rng: Random, table: Shown, word: str) -> str | None:
    return f"TRUNCATE TABLE {table.path}"


def _key(rng: Random, table: Shown, word: str) -> str | None:
    free = fresh_ids(rng, table, word, 1)
    if not (table.is_keyed and table.rows and free):
        return None
    return f"UPDATE {table.path} SET id = {free[0]} WHERE id = {rng.choice(sorted(table.rows))}"


_ROWS = {
    "insert": _insert,
    "update": _update,
    "delete": _delete,
    "merge": _merge,
    "overwrite": _overwrite,
    "truncate": _truncate,
    "key": _key,
}


def of_partitions(rng: Random, table: Shown, word: str) -> str | None:
    if not table.is_partitioned:
        return None
    named, alter = sorted(table.partitions), f"ALTER TABLE {table.path}"
    free = [part for part in (*PARTITIONS, word) if part not in named]
    old, new = rng.choice(named or ["a"]), rng.choice(free)
    kind = rng.choice(["rename"] * 4 + ["overwrite"] * 2 + ["drop", "add"])
    if kind == "add":
        return f"{alter} ADD PARTITION (p = '{new}')"
    if not named:
        return None
    if kind == "rename":
        return f"{alter} PARTITION (p = '{old}') RENAME TO PARTITION (p = '{new}')"
    if kind == "drop":
        return f"{alter} DROP PARTITION (p = '{old}')"
    elsewhere = {i for i in table.rows if table.cell(i, "p") != old}
    ids = [i for i in range(1, KEYS + 1) if i not in elsewhere] if table.is_keyed else fresh_ids(rng, table, word, 1)
    if not ids or table.named("v") is None:
        return None
    return f"INSERT OVERWRITE {table.path} PARTITION (p = '{old}') (id, v) VALUES ({rng.choice(ids)}, '{word}')"
