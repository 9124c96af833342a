"""``MERGE BRANCH s TO t RESOLVE (TABLE d.t KEEP BOTH, TABLE d.u COLUMN c TAKE TARGET, ..)``: decisions in SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence

from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind
from lakeui.sql.names import read_database, read_table
from lakeui.sql.statements import ConflictDecision
from merge_app.planning.decision_phrases import (
    OTHER_WORDS,
    PHRASES,
    decision_written,
    forms_of,
    object_written,
    part_written,
)
from merge_app.planning.merge_plan import Decision

_ACTIONS = {
    **{phrase.words: decision.value for decision, phrase in PHRASES.items() if not phrase.argument},
    **OTHER_WORDS,
}
"""By its words, a decision that takes no argument."""


def accept_decisions(cursor: Cursor) -> tuple[ConflictDecision, ...]:
    """``RESOLVE (..)``, if it comes next."""
    if not cursor.accept("RESOLVE"):
        return ()
    cursor.expect("(")
    found = _decisions(cursor)
    cursor.expect(")")
    return found


def decisions_parsed(text: str) -> tuple[ConflictDecision, ...]:
    """What the parentheses of RESOLVE may have between them. Raises SyntaxProblem."""
    cursor = Cursor(text)
    found = _decisions(cursor)
    cursor.end()
    return found


def _decisions(cursor: Cursor) -> tuple[ConflictDecision, ...]:
    found = [_decision(cursor)]
    while cursor.accept(","):
        found.append(_decision(cursor))
    return tuple(found)


def _decision(cursor: Cursor) -> ConflictDecision:
    if cursor.accept("DATABASE"):
        kind, name = "database", read_database(cursor).database
    elif cursor.accept("TABLE"):
        table = read_table(cursor)
        kind, name = "table", f"{table.database}.{table.table}"
    else:
        cursor.fail("Expected TABLE or DATABASE")
    part, key, column = _part(cursor)
    decision, new_name, value = _action(cursor)
    return ConflictDecision(kind, name, decision, part, key, column, new_name, value)


def _part(cursor: Cursor) -> tuple[str, str, str]:
    """Part, key and name of the column, of what is decided."""
    if cursor.accept("COLUMN"):
        return "column", "", cursor.name("a column's name")
    if cursor.accept("PROPERTY"):
        return "property", cursor.string("a property's key in quotes"), ""
    if cursor.accept("PARTITION"):
        return "partition", _partition(cursor), ""
    if cursor.accept("ROWS"):
        return "rows", "", ""
    if cursor.accept("ROW"):
        return "row", cursor.string("a row's key in quotes, as the comparison gives it"), ""
    if cursor.accept("CELL"):
        column = cursor.name("a column's name")
        cursor.expect("OF")
        return "cell", cursor.string("a row's key in quotes, as the comparison gives it"), column
    return "object", "", ""


def _partition(cursor: Cursor) -> str:
    """Values in the order of the partition columns, as a resolution names them."""
    cursor.expect("(")
    values = [_partition_value(cursor)]
    while cursor.accept(","):
        values.append(_partition_value(cursor))
    cursor.expect(")")
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _partition_value(cursor: Cursor) -> str | None:
    if cursor.accept("NULL"):
        return None
    return cursor.take().value if cursor.sees_kind(Kind.NUMBER) else cursor.string("a value in quotes")


def _action(cursor: Cursor) -> tuple[str, str, str]:
    """The decision, the new name and the value that belong to it."""
    phrase = cursor.accept_phrase(*_ACTIONS)
    if phrase is not None:
        return _ACTIONS[phrase], "", ""
    if cursor.accept("RENAME", "TO"):
        return "rename", cursor.name("the new name"), ""
    if cursor.accept("TAKE", "NEWEST", "BY"):
        return "newest", "", cursor.name("a column's name")
    if cursor.accept("SET"):
        return "edited", "", cursor.string("a value as JSON in quotes")
    cursor.fail(f"Expected {forms_of(PHRASES)}")


# -- the other way ----------------------------------------------------------------------------------------------------


def decisions_written(decisions: Sequence[ConflictDecision]) -> str:
    """The text that ``accept_decisions`` reads as these, empty where there are none."""
    if not decisions:
        return ""
    return f"RESOLVE ({', '.join(_written(item) for item in decisions)})"


def _written(item: ConflictDecision) -> str:
    of = object_written(item.kind, item.name), part_written(item.part, item.part_key, item.column)
    does = decision_written(Decision(item.decision), new_name=item.new_name, value=item.value)
    return " ".join(text for text in (*of, does) if text)
