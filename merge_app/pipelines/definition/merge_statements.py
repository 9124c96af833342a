"""MERGE INTO as strategies write it: of the latest rows, and of keys that are replaced (rows §4)."""

from __future__ import annotations

from collections.abc import Sequence

from merge_app.pipelines.definition.tombstones import quoted
from merge_app.pipelines.definition.writes import (
    BATCH,
    GONE,
    LATE,
    PART,
    BatchWrite,
    latest_rows,
    listed,
    same_values,
    stored_watermark,
    takes_away,
)


def merge_latest(write: BatchWrite) -> str:
    """``incremental``: the latest row of each key replaces the stored one unless that is later, or is the same. Where
    all rows are later than what is stored, no column but the keys has to be read to know that. ``key_strategy`` says
    whether known keys, new ones, or both are written.
    """
    clauses = [] if write.key_strategy == "insert" else _replaced(write)
    if write.key_strategy != "update":
        marks = [GONE] if takes_away(write) else []
        marks += [LATE] if write.has_deleted else []
        clauses.append(insert_clause(write.names, " AND ".join(f"NOT batch.{quoted(mark)}" for mark in marks)))
    elif not clauses:
        # Rows of nothing but keys have nothing to replace, and a merge needs a clause.
        clauses.append(insert_clause(write.names, "false"))
    return merge_text(write, latest_rows(write), [keys_match(write)], clauses)


def _replaced(write: BatchWrite) -> list[str]:
    """What becomes of known keys: they go, or their row is replaced."""
    others = write.others
    later, changed, clauses = [], [], []
    if not write.is_later:
        later = [
            f"(batch.{quoted(name)} >= target.{quoted(name)} OR target.{quoted(name)} IS NULL)"
            for name in stored_watermark(write)
        ]
        changed = [f"NOT ({same_values(write, others, 'target', 'batch')})"]
    if takes_away(write):
        clauses.append(f"WHEN MATCHED AND {' AND '.join([*later, f'batch.{quoted(GONE)}'])} THEN DELETE")
    if others:
        clauses.append(update_clause(others, " AND ".join([*later, *changed])))
    return clauses


def replace_keys(write: BatchWrite, keys: Sequence[str]) -> str:
    """``delete_insert``: rows of the batch's keys go, all rows of the batch come. Rows that only say which keys go are
    marked by ``PART``; no other row matches anything.
    """
    wanted = {key.casefold() for key in keys}
    nothing = ", ".join(
        quoted(name) if name.casefold() in wanted else f"NULL AS {quoted(name)}" for name in write.names
    )
    rows = f"SELECT {listed(write.names)}, 'row' AS {quoted(PART)} FROM {BATCH.sql}"
    gone = f"SELECT {nothing}, 'key' AS {quoted(PART)} FROM ({_going(write, keys)})"
    match = [f"target.{quoted(key)} <=> batch.{quoted(key)}" for key in keys]
    clauses = ["WHEN MATCHED THEN DELETE", insert_clause(write.names, f"batch.{quoted(PART)} = 'row'")]
    return merge_text(write, f"{rows} UNION ALL {gone}", [*match, f"batch.{quoted(PART)} = 'key'"], clauses)


def _going(write: BatchWrite, keys: Sequence[str]) -> str:
    """The keys whose rows go: those of the batch, unless the configuration names partitions."""
    if write.partitions:
        return " UNION ALL ".join(f"SELECT {value.sql} AS {quoted(keys[0])}" for value in write.partitions)
    return f"SELECT DISTINCT {listed(keys)} FROM {BATCH.sql}"


def merge_text(write: BatchWrite, source: str, match: Sequence[str], clauses: Sequence[str]) -> str:
    head = "MERGE WITH SCHEMA EVOLUTION INTO" if write.evolves else "MERGE INTO"
    return "\n".join(
        [f"{head} {write.target.sql} AS target", f"USING ({source}) AS batch", f"ON {' AND '.join(match)}", *clauses]
    )


def keys_match(write: BatchWrite) -> str:
    return " AND ".join(f"target.{quoted(key)} <=> batch.{quoted(key)}" for key in write.keys)


def update_clause(names: Sequence[str], condition: str) -> str:
    pairs = ", ".join(f"{quoted(name)} = batch.{quoted(name)}" for name in names)
    when = f"WHEN MATCHED AND {condition}" if condition else "WHEN MATCHED"
    return f"{when} THEN UPDATE SET {pairs}"


def insert_clause(names: Sequence[str], condition: str = "") -> str:
    when = f"WHEN NOT MATCHED AND {condition}" if condition else "WHEN NOT MATCHED"
    return f"{when} THEN INSERT ({listed(names)}) VALUES ({listed(names, 'batch.')})"
