"""Readers of a column as a statement defines it, and of its constraints."""

from __future__ import annotations

from dataclasses import replace

from catalog_app.domain.identity import Identity, in_bigint
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.common import accept_comment
from lakeui.sql.cursor import Cursor
from lakeui.sql.names import read_path
from lakeui.sql.query import build_check, build_constant
from lakeui.sql.types import read_type

_BEHIND_DEFAULT = ("NOT NULL", "COMMENT", "PRIMARY KEY", "FIRST", "AFTER", "CHECK (", "CONSTRAINT", "GENERATED")


def unsupported_constraint(word: str) -> NotSupported:
    return NotSupported(
        f"{word} constraints are not supported: rows that fit on each of two branches may not fit together.",
        remedy="Leave it out.",
    )


def read_check(cursor: Cursor, table: s.TableName, name: str | None = None) -> s.CheckConstraint:
    """``(condition) [ENFORCED]``, behind CHECK."""
    cursor.expect("(")
    condition = build_check(cursor.span(), table)
    cursor.expect(")")
    if cursor.sees("NOT", "ENFORCED") or cursor.sees("RELY") or cursor.sees("NORELY"):
        raise NotSupported("A CHECK constraint is always enforced.", remedy="Leave NOT ENFORCED and RELY out.")
    cursor.accept("ENFORCED")
    return s.CheckConstraint(condition, name)


def read_column(cursor: Cursor, table: s.TableName, *, may_be_field: bool = False) -> tuple[s.ColumnDefinition, bool]:
    """``name type [NOT NULL] [DEFAULT value | GENERATED ..] [COMMENT '…'] [PRIMARY KEY]`` and whether it is the key.

    ``may_be_field``: the name may be the path of a field inside of a column.
    """
    *within, name = read_path(cursor) if may_be_field else (cursor.name("a column's name"),)
    column = s.ColumnDefinition(name, read_type(cursor), within=tuple(within))
    is_key = False
    while True:
        if cursor.accept("NOT", "NULL"):
            column = replace(column, nullable=False)
        elif cursor.accept("DEFAULT"):
            text = cursor.span(",", phrases=_BEHIND_DEFAULT)
            column = replace(column, default=build_constant(text, f"The default of {name}"))
        elif cursor.sees("COMMENT"):
            column = replace(column, comment=accept_comment(cursor))
        elif cursor.accept("PRIMARY", "KEY"):
            is_key = True
        elif cursor.accept("GENERATED"):
            column = _with_generated(column, _read_generated(cursor, table))
        else:
            if column.default is not None and not (column.generated is None and column.identity is None):
                raise InvalidValue(f"{name} has a DEFAULT and is generated.", remedy="Leave one of the two out.")
            return column, is_key


def _with_generated(column: s.ColumnDefinition, found: str | Identity) -> s.ColumnDefinition:
    if isinstance(found, str):
        return replace(column, generated=found)
    if column.type != "bigint":
        raise NotSupported(f"An identity column cannot be {column.type}.", remedy=f"Make {column.name} BIGINT.")
    return replace(column, identity=found)


def _read_generated(cursor: Cursor, table: s.TableName) -> str | Identity:
    """``ALWAYS AS (expression)``, or ``ALWAYS | BY DEFAULT AS IDENTITY [(START WITH n INCREMENT BY m)]``."""
    if cursor.accept("BY", "DEFAULT"):
        cursor.expect("AS", "IDENTITY")
        return _read_counting(cursor, always=False)
    if cursor.accept("ALWAYS", "AS", "IDENTITY"):
        return _read_counting(cursor, always=True)
    cursor.expect("ALWAYS", "AS")
    cursor.expect("(")
    text = build_check(cursor.span(), table, "A generated column")
    cursor.expect(")")
    return text


def _read_counting(cursor: Cursor, *, always: bool) -> Identity:
    """``[(START WITH n INCREMENT BY m)]``, both or one, in either order."""
    found: dict[str, int] = {}
    if cursor.accept("("):
        while not cursor.accept(")"):
            phrase = cursor.accept_phrase("START WITH", "INCREMENT BY")
            if phrase is None or phrase in found:
                cursor.fail("Expected START WITH or INCREMENT BY, each once")
            sign = -1 if cursor.accept("-") else 1
            found[phrase] = sign * cursor.integer()
    counted = Identity(found.get("START WITH", 1), found.get("INCREMENT BY", 1), always)
    if counted.step == 0:
        raise InvalidValue("INCREMENT BY 0 would give each row the same number.", remedy="Write INCREMENT BY 1.")
    if not (in_bigint(counted.start) and in_bigint(counted.step)):
        raise InvalidValue("START WITH and INCREMENT BY are BIGINT.", remedy="Write smaller numbers.")
    return counted
