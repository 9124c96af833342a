"""Readers of statements that go back in time: RESTORE, UNDROP, VACUUM. Each starts behind the words of its entry."""

from __future__ import annotations

from uuid import UUID

from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind
from lakeui.sql.names import read_branch, read_database, read_present_table


def restore_table(cursor: Cursor) -> s.RestoreTable:
    return s.RestoreTable(read_present_table(cursor), _point_in_time(cursor))


def restore(cursor: Cursor) -> s.RestoreTable:
    """``RESTORE t``, which is RESTORE TABLE t."""
    behind = cursor.words[cursor.index + 1 : cursor.index + 2]
    if not behind or behind[0].value.upper() not in (".", "TO"):
        cursor.fail("Expected TABLE, DATABASE, BRANCH or MERGE, or the name of a table")
    return restore_table(cursor)


def restore_database(cursor: Cursor) -> s.RestoreDatabase:
    return s.RestoreDatabase(read_database(cursor), _point_in_time(cursor))


def restore_branch(cursor: Cursor) -> s.RestoreBranch:
    return s.RestoreBranch(read_branch(cursor), _point_in_time(cursor))


def restore_merge(cursor: Cursor) -> s.RestoreMerge:
    """The id may stand in quotes or not."""
    text = cursor.string() if cursor.sees_kind(Kind.STRING) else cursor.rest().strip().strip("`")
    try:
        return s.RestoreMerge(str(UUID(text)))
    except ValueError:
        raise InvalidValue(f"{text!r} is not the id of a merge.", remedy="SHOW MERGES lists them.") from None


def _point_in_time(cursor: Cursor) -> s.PointInTime:
    cursor.expect("TO")
    if cursor.accept("VERSION", "AS", "OF"):
        return s.PointInTime(version=cursor.integer("a version"))
    if cursor.accept("TIMESTAMP", "AS", "OF"):
        return s.PointInTime(timestamp=cursor.string("a time in quotes"))
    cursor.fail("Expected VERSION AS OF or TIMESTAMP AS OF")


def undrop_table(cursor: Cursor) -> s.UndropTable:
    table = read_present_table(cursor)
    return s.UndropTable(table, _with_id(cursor), _as_name(cursor))


def undrop_database(cursor: Cursor) -> s.UndropDatabase:
    database = read_database(cursor)
    return s.UndropDatabase(database, _with_id(cursor), _as_name(cursor))


def undrop_branch(cursor: Cursor) -> s.UndropBranch:
    branch = read_branch(cursor)
    return s.UndropBranch(branch, _with_id(cursor), _as_name(cursor))


def undrop_catalog(cursor: Cursor) -> s.UndropCatalog:
    name = cursor.name("the catalog's name")
    return s.UndropCatalog(name, _with_id(cursor), _as_name(cursor))


def _with_id(cursor: Cursor) -> str | None:
    if not cursor.accept("WITH", "ID"):
        return None
    if cursor.sees_kind(Kind.NUMBER):
        return str(cursor.integer())
    return cursor.string("the id in quotes")


def _as_name(cursor: Cursor) -> str | None:
    return cursor.name("the new name") if cursor.accept("AS") else None


def vacuum(cursor: Cursor) -> s.Vacuum:
    table = None if cursor.current is None else read_present_table(cursor)
    if cursor.sees("RETAIN"):
        raise NotSupported(
            "VACUUM takes no RETAIN: how old a version must be is one setting of the server, for all tables.",
            remedy="Write VACUUM t, or VACUUM t DRY RUN. The setting is LAKEUI_RETENTION_DAYS.",
        )
    return s.Vacuum(table=table)
