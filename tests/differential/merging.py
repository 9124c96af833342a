"""MERGE INTO by its meaning (rows.md §1): which rows stay, which are new, each as a query for INSERT .. BY NAME."""

from __future__ import annotations

from collections.abc import Sequence

from tests.differential.altering import Column
from tests.differential.statements import BY_SOURCE, MATCHED, NOT_MATCHED, Clause, Merge
from tests.differential.updating import Parts, assigned

_ROW = "__row"


def merge_parts(merge: Merge, table: str, columns: Sequence[Column]) -> Parts:
    names = ", ".join(f"t.{column.name}" for column in columns)
    acted = [
        f"SELECT t.{_ROW} FROM {_rows_of(merge, table, family)} WHERE {_choice(merge, family)} IS NOT NULL"
        for family in (MATCHED, BY_SOURCE)
        if _of(merge, family)
    ]
    kept = f"SELECT {names} FROM {_target(table)}"
    if acted:
        kept += f" LEFT ANTI JOIN ({' UNION ALL '.join(acted)}) AS __acted ON t.{_ROW} = __acted.{_ROW}"
    written = [
        f"SELECT {_values(clause, columns)} FROM {_rows_of(merge, table, family)} "
        f"WHERE {_choice(merge, family)} = {place}"
        for family in (MATCHED, BY_SOURCE, NOT_MATCHED)
        for place, clause in enumerate(_of(merge, family))
        if clause.action != "DELETE"
    ]
    return Parts(kept, tuple(written), _many_matches(merge, table))


def _many_matches(merge: Merge, table: str) -> tuple[str, ...]:
    """A query of the rows of the target that match several of the source, where that refuses the merge."""
    matched = _of(merge, MATCHED)
    if not matched or [(clause.condition, clause.action) for clause in matched] == [("", "DELETE")]:
        return ()
    return (f"SELECT t.{_ROW} FROM {_rows_of(merge, table, MATCHED)} GROUP BY t.{_ROW} HAVING count(*) > 1",)


def _target(table: str) -> str:
    place = f"concat(_metadata.file_path, ' ', _metadata.row_index) AS {_ROW}"
    return f"(SELECT *, {place} FROM {table}) AS t"


def _rows_of(merge: Merge, table: str, family: str) -> str:
    """The relation that clauses of the family see."""
    target, source, on = _target(table), f"{merge.source} AS s", f"ON {merge.on}"
    if family == MATCHED:
        return f"{target} JOIN {source} {on}"
    if family == BY_SOURCE:
        return f"{target} LEFT ANTI JOIN {source} {on}"
    return f"{source} LEFT ANTI JOIN {target} {on}"


def _of(merge: Merge, family: str) -> list[Clause]:
    return [clause for clause in merge.clauses if clause.family == family]


def _choice(merge: Merge, family: str) -> str:
    """The place of the clause that acts on a row, NULL where none does."""
    cases = [
        f"WHEN ({clause.condition or 'true'}) IS TRUE THEN {place}" for place, clause in enumerate(_of(merge, family))
    ]
    return f"CASE {' '.join(cases)} END"


def _values(clause: Clause, columns: Sequence[Column]) -> str:
    given = clause.assignments
    if given is None:
        given = tuple((column.name, f"s.{column.name}") for column in columns)
    if clause.action == "UPDATE":
        return assigned(columns, given, "t")
    return ", ".join(f"{'NULL' if value.upper() == 'DEFAULT' else value} AS {name}" for name, value in given)
