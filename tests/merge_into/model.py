"""MERGE INTO as the naive reader of rows §1 would do it: nested loops over dictionaries.

Values are what answers show (decimals and moments as text, NaN as "NaN"), so equality is that of the answers: NaN
equals NaN, and -0.0 equals 0.0, though they print apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
Condition = Callable[[Row, Row], bool | None]
Value = Callable[[Row, Row], Any]


class RivalRows(Exception):
    """A target row matches several source rows."""


@dataclass(frozen=True)
class Clause:
    """``sql`` is what follows WHEN. ``values`` None: the row goes; else by column, of a target and a source row."""

    family: str
    sql: str
    condition: Condition | None = None
    values: Mapping[str, Value] | None = None

    def applies(self, target: Row, source: Row) -> bool:
        return self.condition is None or self.condition(target, source) is True


@dataclass(frozen=True)
class Outcome:
    rows: list[Row]
    updated: int = 0
    deleted: int = 0
    inserted: int = 0


def merged(
    target: Sequence[Row], source: Sequence[Row], clauses: Sequence[Clause], *, key: str, null_safe: bool
) -> Outcome:
    """The target's rows afterwards. Raises RivalRows."""
    families = {name: [c for c in clauses if c.family == name] for name in ("matched", "not matched", "by source")}
    is_plain_delete = [(c.condition, c.values) for c in families["matched"]] == [(None, None)]
    rows: list[Row] = []
    updated = deleted = 0
    for row in target:
        partners = [other for other in source if _same(row[key], other[key], null_safe)]
        if len(partners) > 1 and families["matched"] and not is_plain_delete:
            raise RivalRows
        family = families["matched"] if partners else families["by source"]
        partner = partners[0] if partners else {}
        clause = next((c for c in family if c.applies(row, partner)), None)
        if clause is None:
            rows.append(row)
        elif clause.values is None:
            deleted += 1
        else:
            after = {**row, **{name: value(row, partner) for name, value in clause.values.items()}}
            # Values that are the same (-0.0 is 0.0) are left as they are, and are no update.
            rows.append(row if after == row else after)
            updated += after != row
    inserted = _inserted(target, source, families["not matched"], key=key, null_safe=null_safe)
    return Outcome([*rows, *inserted], updated, deleted, len(inserted))


def _inserted(
    target: Sequence[Row], source: Sequence[Row], clauses: Sequence[Clause], *, key: str, null_safe: bool
) -> list[Row]:
    rows = []
    for row in source:
        if any(_same(other[key], row[key], null_safe) for other in target):
            continue
        clause = next((c for c in clauses if c.applies({}, row)), None)
        if clause is not None and clause.values is not None:
            rows.append({name: value({}, row) for name, value in clause.values.items()})
    return rows


def _same(one: Any, other: Any, null_safe: bool) -> bool:
    if one is None or other is None:
        return null_safe and one is other
    return bool(one == other)
