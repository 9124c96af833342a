"""The clauses of MERGE INTO: WHEN .. THEN UPDATE, DELETE or INSERT (rows §1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from catalog_app.pruning.predicates import ANYTHING
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.cursor import Cursor
from lakeui.sql.dialect import write
from lakeui.sql.merge_scope import MergeScope
from lakeui.sql.names import owned_path, read_path, refuse_overlaps, without_owner
from lakeui.sql.query import DEFAULT, is_default
from lakeui.sql.terms import predicate_of

MOST_CLAUSES = 100


def read_clauses(cursor: Cursor, scope: MergeScope) -> tuple[s.MergeClause, ...]:
    clauses: list[s.MergeClause] = []
    while cursor.sees("WHEN"):
        start = cursor.index
        clause = _clause(cursor, scope)
        earlier = [item for item in clauses if item.family is clause.family]
        if earlier and earlier[-1].condition is None:
            cursor.index = start
            cursor.fail(f"Only the last clause of WHEN {clause.family.value.upper()} may lack a condition; another is")
        clauses.append(clause)
        if len(clauses) > MOST_CLAUSES:
            raise InvalidValue(
                f"The statement has more than {MOST_CLAUSES} WHEN clauses.",
                remedy="Put what they decide into a column of the source.",
                field="statement",
                nearest=None,
            )
    if not clauses:
        cursor.fail("Expected WHEN MATCHED or WHEN NOT MATCHED")
    return tuple(clauses)


def _clause(cursor: Cursor, scope: MergeScope) -> s.MergeClause:
    start = cursor.words[cursor.index].start
    cursor.expect("WHEN")
    family = _family(cursor)
    condition = None
    if cursor.accept("AND"):
        tree = scope.expression(read_span(cursor, "THEN"), is_condition=True, family=family)
        is_of_target = family is s.MergeFamily.NOT_MATCHED_BY_SOURCE
        condition = s.Condition(write(tree), predicate_of(tree, scope.owns_target) if is_of_target else ANYTHING)
    cursor.expect("THEN")
    return s.MergeClause(family, _action(cursor, scope, family), condition, start)


def _family(cursor: Cursor) -> s.MergeFamily:
    if cursor.accept("MATCHED"):
        return s.MergeFamily.MATCHED
    cursor.expect("NOT", "MATCHED")
    if cursor.accept("BY", "SOURCE"):
        return s.MergeFamily.NOT_MATCHED_BY_SOURCE
    if cursor.accept("BY"):
        cursor.expect("TARGET")
    return s.MergeFamily.NOT_MATCHED


def _action(cursor: Cursor, scope: MergeScope, family: s.MergeFamily) -> s.MergeAction:
    if family is s.MergeFamily.NOT_MATCHED:
        cursor.expect("INSERT")
        return _insert(cursor, scope)
    if cursor.accept("DELETE"):
        return s.MergeDelete()
    if not cursor.accept("UPDATE"):
        cursor.fail("Expected UPDATE or DELETE")
    if cursor.sees("*") or cursor.sees("BY"):
        raise NotSupported("UPDATE takes its columns behind SET.", remedy="Write UPDATE SET *, which goes by name.")
    cursor.expect("SET")
    if cursor.sees("*"):
        if family is s.MergeFamily.NOT_MATCHED_BY_SOURCE:
            cursor.fail("There is no source row here to set all columns from;")
        cursor.expect("*")
        return s.MergeUpdate()
    return _update(cursor, scope, family)


def _update(cursor: Cursor, scope: MergeScope, family: s.MergeFamily) -> s.MergeUpdate:
    found: list[tuple[tuple[str, ...], str]] = []
    owned: list[tuple[str, ...]] = []
    while True:
        written = read_path(cursor)
        path = _target_path(written, scope)
        owned += owned_path(written, path)
        cursor.expect("=")
        found.append((path, _value(read_span(cursor, ","), scope, family)))
        if not cursor.accept(","):
            break
    refuse_overlaps([path for path, _ in found])
    columns = tuple((path[0], text) for path, text in found if len(path) == 1)
    return s.MergeUpdate(columns, tuple((path, text) for path, text in found if len(path) > 1), tuple(owned))


def _insert(cursor: Cursor, scope: MergeScope) -> s.MergeInsert:
    if cursor.accept("*") or cursor.accept("BY", "NAME"):
        if cursor.sees("(") or cursor.sees("VALUES"):
            raise NotSupported(
                "INSERT BY NAME and INSERT * take every column from the source.",
                remedy="Write INSERT (columns) VALUES (values), without BY NAME, for some of them.",
            )
        return s.MergeInsert()
    if cursor.sees("BY") or cursor.sees("VALUES"):
        raise NotSupported(
            "INSERT goes by the names of columns here, not by their places.",
            remedy="Write INSERT *, INSERT BY NAME, or INSERT (columns) VALUES (values).",
        )
    columns = _in_parentheses(cursor, lambda: _target_column(cursor, scope))
    _refuse_twice(columns)
    cursor.expect("VALUES")
    start = cursor.index
    values = _in_parentheses(cursor, lambda: _value(read_span(cursor, ","), scope, s.MergeFamily.NOT_MATCHED))
    if len(values) != len(columns):
        cursor.index = start
        cursor.fail(
            f"{counted(len(columns), 'column')} and {counted(len(values), 'value')} are named; the values begin"
        )
    return s.MergeInsert(tuple(zip(columns, values, strict=True)))


def _in_parentheses(cursor: Cursor, read: Callable[[], str]) -> list[str]:
    cursor.expect("(")
    found = [read()]
    while cursor.accept(","):
        found.append(read())
    cursor.expect(")")
    return found


def _target_path(path: tuple[str, ...], scope: MergeScope) -> tuple[str, ...]:
    """The path of a column or of a field inside of one, without what the target is called."""
    owners = [[scope.target_name]]
    if scope.target_alias is None:
        owners.insert(0, [scope.target.database, scope.target.table])
    return without_owner(path, owners)


def _target_column(cursor: Cursor, scope: MergeScope) -> str:
    """A column's name, alone or behind what the target is called."""
    path = _target_path(read_path(cursor), scope)
    if len(path) > 1:
        raise NotSupported(
            f"{'.'.join(path)} is no column of {scope.target_name}; a new row takes whole columns.",
            remedy="Give the whole column, for example with named_struct(…).",
        )
    return path[0]


def _value(text: str, scope: MergeScope, family: s.MergeFamily) -> str:
    tree = scope.expression(text, is_condition=False, family=family)
    return DEFAULT if is_default(tree) else write(tree)


def _refuse_twice(columns: Sequence[str]) -> None:
    folded = [column.casefold() for column in columns]
    for column in columns:
        if folded.count(column.casefold()) > 1:
            raise InvalidValue(f"The column {column} is named twice.", remedy="Name it once.", column=column)


def read_span(cursor: Cursor, *stops: str) -> str:
    """An expression's text, up to a stop or the next clause; inside of CASE … END, WHEN and THEN are its own."""
    first = cursor.index
    depth = 0
    while not cursor.at_end and not (depth == 0 and _ends_here(cursor, stops)):
        depth += _step(cursor)
        if depth < 0:
            break
        cursor.index += 1
    if cursor.index == first:
        cursor.fail("Expected an expression")
    return cursor.between(cursor.words[first].start, cursor.words[cursor.index - 1].end)


def _ends_here(cursor: Cursor, stops: Sequence[str]) -> bool:
    return cursor.sees("WHEN") or _returns_here(cursor) or any(cursor.sees(stop) for stop in stops)


def _returns_here(cursor: Cursor) -> bool:
    return cursor.sees("RETURNING") and cursor.words[cursor.index - 1].value != "."


def _step(cursor: Cursor) -> int:
    """How the next word changes the depth of nesting."""
    if any(cursor.sees(opening) for opening in ("(", "[", "{", "CASE")):
        return 1
    return -1 if any(cursor.sees(closing) for closing in (")", "]", "}", "END")) else 0
