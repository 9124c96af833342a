"""Names of tables, databases and branches, read from words and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from lakeui.common.errors import ForbiddenStatement, InvalidValue
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind
from lakeui.sql.statements import BranchName, DatabaseName, TableName

_FILE_FORMATS = frozenset(
    {
        "parquet",
        "csv",
        "json",
        "orc",
        "text",
        "binaryfile",
        "delta",
        "avro",
        "xml",
        "iceberg",
        "hudi",
        "jdbc",
        "image",
        "libsvm",
    }
)
_PATH_MARKS = ("/", "\\", ":")


_DATABASE: ContextVar[str | None] = ContextVar("database of the session", default=None)


@contextmanager
def database_given(name: str | None) -> Iterator[None]:
    """What is read inside names tables of this database where it names none; None: it has to name one."""
    token = _DATABASE.set(name)
    try:
        yield
    finally:
        _DATABASE.reset(token)


_FULL_NAMES: ContextVar[str] = ContextVar("why tables are named with their database", default="")


@contextmanager
def full_names(why: str) -> Iterator[None]:
    """What is read inside names each table with its database, whatever the session's is: the text is read again where
    another may be chosen.
    """
    token = _FULL_NAMES.set(why)
    try:
        yield
    finally:
        _FULL_NAMES.reset(token)


class DatabaseMissing(InvalidValue):
    """A table is named without its database, where none is chosen. Details: ``table``. Where one table of the branch
    has this name, ``nearest`` is its name with the database, and ``replacement`` is how a statement says that.
    ``line``, ``column`` and ``near`` are where the statement names the table.
    """


def table_name(parts: tuple[str, ...], *, version: int | None = None, timestamp: str | None = None) -> TableName:
    """The name made of these parts; refuses files and names without a database."""
    _refuse_paths(parts)
    database = _DATABASE.get()
    why = _FULL_NAMES.get()
    if len(parts) == 1 and database is not None and not why:
        parts = (database, *parts)
    if len(parts) == 1:
        way = f". {why}" if why else ", or choose the database by USE DATABASE."
        raise DatabaseMissing(
            f"The table {parts[0]} is named without its database.",
            remedy=f"Write {database or 'db'}.{parts[0]}{way}",
            table=parts[0],
        )
    if len(parts) > 3:
        raise InvalidValue(
            f"The name {'.'.join(parts)} has more than three parts.", remedy="Write db.table or catalog.db.table."
        )
    catalog = parts[0] if len(parts) == 3 else None
    table, mark, at = parts[-1].partition("@")
    if mark and not (table and at):
        raise InvalidValue(f"The name {parts[-1]} lacks a part.", remedy="Write `table@branch` in backticks.")
    return TableName(table, parts[-2], catalog, at or None, version, timestamp)


def read_table(cursor: Cursor) -> TableName:
    """``db.t`` or ``catalog.db.t``; no time travel."""
    return table_name(_parts(cursor, "a table's name"))


def read_past_table(cursor: Cursor) -> TableName:
    """A table's name, and the version of it that is meant."""
    name = read_table(cursor)
    version, timestamp = accept_as_of(cursor)
    return replace(name, version=version, timestamp=timestamp)


def accept_as_of(cursor: Cursor) -> tuple[int | None, str | None]:
    """``VERSION AS OF v`` or ``TIMESTAMP AS OF 't'``, if one comes next."""
    if cursor.accept("VERSION", "AS", "OF"):
        return cursor.integer("a version"), None
    if cursor.accept("TIMESTAMP", "AS", "OF"):
        return None, cursor.string("a time in quotes")
    return None, None


def read_present_table(cursor: Cursor) -> TableName:
    """A table that is going to be changed: neither another branch's nor a past one's, and no temporary view."""
    parts = _parts(cursor, "a table's name")
    if len(parts) == 1 and parts[0].casefold() in cursor.views:
        raise InvalidValue(
            f"{parts[0]} is a temporary view of the session, which holds no rows of its own.",
            remedy=f"Write {_DATABASE.get() or 'db'}.{parts[0]} for the table, or drop the view first.",
            table=parts[0],
        )
    name = table_name(parts)
    if name.at is not None:
        raise InvalidValue(
            f"{name.table}@{name.at} is of another branch and can only be read.",
            remedy=f"Go to it first with USE BRANCH `{name.at}`.",
        )
    return name


def read_database(cursor: Cursor) -> DatabaseName:
    parts = _parts(cursor, "a database's name")
    _refuse_paths(parts)
    if len(parts) > 2:
        cursor.fail("A database's name has at most two parts; it ends")
    return DatabaseName(parts[-1], parts[0] if len(parts) == 2 else None)


def read_branch(cursor: Cursor) -> BranchName:
    parts = _parts(cursor, "a branch's name")
    if cursor.sees("/") or cursor.sees("-"):
        cursor.fail("A branch's name with such signs is written in backticks, like `feature/x`; it ends")
    if len(parts) > 2:
        cursor.fail("A branch's name has at most two parts; it ends")
    return BranchName(parts[-1], parts[0] if len(parts) == 2 else None)


def _parts(cursor: Cursor, what: str) -> tuple[str, ...]:
    if cursor.sees("IDENTIFIER", "(") or cursor.sees_kind(Kind.STRING):
        raise ForbiddenStatement(
            "Names are written out, not computed and not in quotes.", remedy="Write the name, in backticks if need be."
        )
    parts = [cursor.name(what)]
    while cursor.accept("."):
        parts.append(cursor.name(what))
    return tuple(parts)


def _refuse_paths(parts: tuple[str, ...]) -> None:
    is_format = len(parts) > 1 and parts[-2].casefold() in _FILE_FORMATS
    is_path = any(mark in part for part in parts for mark in _PATH_MARKS) and "@" not in parts[-1]
    if is_path or (is_format and ("." in parts[-1] or any(mark in parts[-1] for mark in _PATH_MARKS))):
        raise ForbiddenStatement(
            f"{'.'.join(parts)} looks like a file; SQL reads managed tables only.",
            remedy="Bring files in by upload or import.",
        )


def read_path(cursor: Cursor) -> tuple[str, ...]:
    """The name of a column, or the path of a field inside of one: ``s.x``."""
    parts = [cursor.name("a column's name")]
    while cursor.accept("."):
        parts.append(cursor.name("a field's name"))
    return tuple(parts)


def without_owner(path: tuple[str, ...], owners: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The path of a column or of a field inside of one, without what the table is called in front of it."""
    folded = [part.casefold() for part in path]
    for owner in owners:
        if len(path) > len(owner) and folded[: len(owner)] == [name.casefold() for name in owner]:
            return path[len(owner) :]
    return path


def owned_path(path: tuple[str, ...], rest: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The path if one name was taken off it, which may be that of a column too; else nothing."""
    return (path,) if len(path) == len(rest) + 1 else ()


def refuse_overlaps(paths: Sequence[tuple[str, ...]]) -> None:
    """Raise InvalidValue where two assignments set the same column or field, or one a part of the other."""
    folded = [tuple(part.casefold() for part in path) for path in paths]
    for place, path in enumerate(folded):
        for other in folded[:place]:
            shorter = min(len(path), len(other))
            if path[:shorter] == other[:shorter]:
                name = ".".join(paths[place])
                raise InvalidValue(f"{name} is assigned twice.", remedy="Assign it once.", column=name)
