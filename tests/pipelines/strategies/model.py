"""What each strategy means, written down as plainly as Python allows. Rows are (id, value, at)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Row = tuple[Any, ...]


class Rivals(Exception):
    """Two different rows, and nothing says which counts."""


class Strange(Exception):
    """A row that no partition takes."""


def highest(rows: Sequence[Row]) -> Row:
    """The row of the highest ``at``; NULL is lowest."""
    top = max((-1 if row[2] is None else row[2]) for row in rows)
    winners = {row for row in rows if (-1 if row[2] is None else row[2]) == top}
    if len(winners) > 1:
        raise Rivals
    return winners.pop()


def by_key(rows: Sequence[Row], columns: Sequence[int] = (0,)) -> dict[Any, list[Row]]:
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[index] for index in columns), []).append(row)
    return found


def full_refresh(table: list[Row], batch: list[Row]) -> list[Row]:
    return list(batch or table)


def append_only(table: list[Row], batch: list[Row]) -> list[Row]:
    return [*table, *batch]


def incremental(table: list[Row], batch: list[Row]) -> list[Row]:
    found = {row[0]: row for row in table}
    for (key,), rows in by_key(batch).items():
        row, stored = highest(rows), found.get(key)
        is_later = stored is None or stored[2] is None or (row[2] is not None and row[2] >= stored[2])
        found[key] = row if is_later else stored
    return list(found.values())


def added(table: list[Row], batch: list[Row]) -> list[Row]:
    """``incremental`` with ``key_strategy: insert``."""
    known = {row[0] for row in table}
    rows = incremental([], batch)
    return [*table, *(row for row in rows if row[0] not in known)]


def replaced(table: list[Row], batch: list[Row]) -> list[Row]:
    """``incremental`` with ``key_strategy: update``."""
    known = {row[0] for row in table}
    return [row for row in incremental(table, batch) if row[0] in known]


def delete_insert(table: list[Row], batch: list[Row]) -> list[Row]:
    gone = {row[0] for row in batch}
    return [row for row in table if row[0] not in gone] + batch


def snapshot(table: list[Row], batch: list[Row]) -> list[Row]:
    gone = {row[1] for row in batch}
    return [row for row in table if row[1] not in gone] + batch


def snapshot_of(named: Sequence[Any]) -> Callable[[list[Row], list[Row]], list[Row]]:
    """The same for partitions that are named. Rows of others are refused, like rivals."""

    def model(table: list[Row], batch: list[Row]) -> list[Row]:
        if any(row[1] not in named for row in batch):
            raise Strange
        return [row for row in table if row[1] not in named] + batch

    return model


def scd2_until(marker: int) -> Callable[[list[Row], list[Row]], list[Row]]:
    """``scd2`` where versions that hold still end at the marker."""

    def model(table: list[Row], batch: list[Row]) -> list[Row]:
        known = [(*row[:4], None if row[4] == marker else row[4]) for row in table]
        return [(*row[:4], marker if row[4] is None else row[4]) for row in scd2(known, batch)]

    return model


def scd2(table: list[Row], batch: list[Row]) -> list[Row]:
    """Versions are (id, value, at, valid_from, valid_to), where ``at`` is the time from which a row holds."""
    kept = list(table)
    moments = by_key(batch, (0, 2))
    for rows in moments.values():
        if len(set(rows)) > 1:
            raise Rivals
    for key, at in sorted(moments, key=lambda moment: moment[1]):
        kept = with_version(kept, moments[key, at][0])
    return kept


def with_version(table: list[Row], row: Row) -> list[Row]:
    others = [version for version in table if version[0] != row[0]]
    mine = sorted((version for version in table if version[0] == row[0]), key=lambda version: version[3])
    earlier = [version for version in mine if version[3] < row[2]]
    later = [version for version in mine if version[3] > row[2]]
    same = [version for version in mine if version[3] == row[2]]
    if same:
        return [*others, *earlier, (*row, row[2], same[0][4]), *later]
    until = later[0][3] if later else None
    if earlier:
        before = earlier[-1]
        if before[1] == row[1]:
            return table
        earlier[-1] = (*before[:4], row[2])
    return [*others, *earlier, (*row, row[2], until), *later]


def scd2_by_run(table: list[Row], batch: list[Row], run: int, gone: str) -> list[Row]:
    """Versions are (id, value, at, from, until, is deleted), where runs are the times; ``gone`` is hard_deletes."""
    given = {key[0]: rows for key, rows in by_key(batch).items()}
    if any(len(set(rows)) > 1 for rows in given.values()):
        raise Rivals
    known = {version[0] for version in table if version[4] is None}
    found = [(*rows[0], run, None, False) for key, rows in given.items() if key not in known]
    for version in table:
        if version[4] is not None or not batch:
            found.append(version)
        elif version[0] in given:
            found += _succeeded(version, given[version[0]][0], run)
        elif gone == "ignore" or version[5]:
            found.append(version)
        else:
            found.append((*version[:4], run, False))
            found += [(*version[:3], run, None, True)] if gone == "new_record" else []
    return found


def _succeeded(version: Row, row: Row, run: int) -> list[Row]:
    if version[:3] == row and not version[5]:
        return [version]
    return [(*version[:4], run, version[5]), (*row, run, None, False)]
