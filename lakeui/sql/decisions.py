"""``MERGE BRANCH s TO t RESOLVE (TABLE d.t KEEP BOTH, TABLE d.u COLUMN c TAKE DESTINATION, ..)``: decisions in SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence

from catalog_app.domain.quoting import quote_name, quote_text
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind
from lakeui.sql.names import read_database, read_table
from lakeui.sql.statements import ConflictDecision

_ACTIONS = {
    "TAKE SOURCE": "source",
    "TAKE DESTINATION": "destination",
    "TAKE TARGET": "destination",
    "TAKE LARGER": "larger",
    "KEEP BOTH": "both",
    "RUN AGAIN": "rerun",
    "SKIP": "leave_out",
}


def accept_decisions(cursor: Cursor) -> tuple[ConflictDecision, ...]:
    """``RESOLVE (..)``, if it comes next."""
    if not cursor.accept("RESOLVE"):
        return ()
    cursor.expect("(")
    found = [_decision(cursor)]
    while cursor.accept(","):
        found.append(_decision(cursor))
    cursor.expect(")")
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
    cursor.fail(f"Expected {', '.join(_ACTIONS)}, RENAME TO, TAKE NEWEST BY or SET")


# -- the other way ----------------------------------------------------------------------------------------------------

_PHRASES = {decision: phrase for phrase, decision in _ACTIONS.items() if phrase != "TAKE TARGET"}


def decisions_written(decisions: Sequence[ConflictDecision]) -> str:
    """The text that ``accept_decisions`` reads as these, empty where there are none."""
    if not decisions:
        return ""
    return f"RESOLVE ({', '.join(_written(item) for item in decisions)})"


def _written(item: ConflictDecision) -> str:
    # Which dot parts a full name makes no difference: whoever reads it puts both parts together again.
    parts = item.name.split(".", 1) if item.kind == "table" else [item.name]
    name = f"{item.kind.upper()} {'.'.join(quote_name(part) for part in parts)}"
    return " ".join(part for part in (name, _part_written(item), _action_written(item)) if part)


def _part_written(item: ConflictDecision) -> str:
    match item.part:
        case "column":
            return f"COLUMN {quote_name(item.column)}"
        case "property":
            return f"PROPERTY {quote_text(item.part_key)}"
        case "partition":
            values = ("NULL" if value is None else quote_text(value) for value in json.loads(item.part_key))
            return f"PARTITION ({', '.join(values)})"
        case "rows":
            return "ROWS"
        case "row":
            return f"ROW {quote_text(item.part_key)}"
        case "cell":
            return f"CELL {quote_name(item.column)} OF {quote_text(item.part_key)}"
    return ""


def _action_written(item: ConflictDecision) -> str:
    match item.decision:
        case "rename":
            return f"RENAME TO {quote_name(item.new_name)}"
        case "newest":
            return f"TAKE NEWEST BY {quote_name(item.value)}"
        case "edited":
            return f"SET {quote_text(item.value)}"
    return _PHRASES[item.decision]
