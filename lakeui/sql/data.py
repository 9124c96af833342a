"""Readers of statements that read and write rows."""

from __future__ import annotations

from lakeui.common.errors import ForbiddenStatement, InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind
from lakeui.sql.names import owned_path, read_path, read_present_table, refuse_overlaps, without_owner
from lakeui.sql.query import build_assignment, build_condition, build_constant, build_query, build_values

_CLAUSES = ("SET", "WHERE")


def select(cursor: Cursor) -> s.Select:
    """A whole query; the cursor stands at its first word."""
    return s.Select(build_query(cursor.rest()))


def table_query(cursor: Cursor) -> s.Select:
    """``TABLE db.t``, short for SELECT * FROM."""
    return s.Select(build_query("SELECT * FROM " + cursor.rest().lstrip()))


# -- INSERT -----------------------------------------------------------------------------------------------------------


def insert_into(cursor: Cursor) -> s.Insert:
    return _insert(cursor, overwrite=False)


def insert_overwrite(cursor: Cursor) -> s.Insert:
    if cursor.sees("DIRECTORY") or cursor.sees("LOCAL", "DIRECTORY"):
        raise ForbiddenStatement("A statement cannot write files of its own.", remedy="Insert into a table.")
    return _insert(cursor, overwrite=True)


def _insert(cursor: Cursor, *, overwrite: bool) -> s.Insert:
    cursor.accept("TABLE")
    table = read_present_table(cursor)
    partition: s.PartitionValuesByColumn | None = None
    columns: tuple[str, ...] | None = None
    by_name = False
    if cursor.accept("PARTITION"):
        partition = _partition(cursor)
        if cursor.sees("IF"):
            raise NotSupported("INSERT … IF NOT EXISTS is not supported.", remedy="Leave IF NOT EXISTS out.")
    if cursor.sees("(") and not _starts_query(cursor):
        columns = cursor.names_in_parentheses()
        _refuse_twice(columns)
    elif cursor.accept("BY", "NAME"):
        by_name = True
    if cursor.sees("REPLACE"):
        raise NotSupported("INSERT … REPLACE is not supported.", remedy="Use INSERT OVERWRITE, or DELETE and INSERT.")
    query, values = build_values(cursor.rest())
    return s.Insert(table, query, columns, by_name, overwrite, partition, values)


def _starts_query(cursor: Cursor) -> bool:
    """Whether the parenthesis opens a query and not a list of columns."""
    index = cursor.index
    while index < len(cursor.words) and cursor.words[index].value == "(":
        index += 1
    word = cursor.words[index] if index < len(cursor.words) else None
    return word is not None and word.kind == Kind.WORD and word.value.upper() in ("SELECT", "WITH", "VALUES", "FROM")


def _partition(cursor: Cursor) -> s.PartitionValuesByColumn:
    """``(a = 1, b)``: checked texts, None where the value comes from the source."""
    cursor.expect("(")
    found: list[tuple[str, str | None]] = []
    while True:
        column = cursor.name("a partition column")
        value = build_constant(cursor.span(","), "A partition's value") if cursor.accept("=") else None
        found.append((column, value))
        if not cursor.accept(","):
            break
    cursor.expect(")")
    _refuse_twice(tuple(column for column, _ in found))
    return tuple(found)


def _refuse_twice(columns: tuple[str, ...]) -> None:
    folded = [column.casefold() for column in columns]
    for column in columns:
        if folded.count(column.casefold()) > 1:
            raise InvalidValue(f"The column {column} is named twice.", remedy="Name it once.", column=column)


# -- DELETE, UPDATE, and what works on whole tables -------------------------------------------------------------------


def delete_from(cursor: Cursor) -> s.Delete:
    table = read_present_table(cursor)
    alias = _accept_alias(cursor)
    return s.Delete(table, alias, _accept_where(cursor, table, alias))


def update(cursor: Cursor) -> s.Update:
    table = read_present_table(cursor)
    alias = _accept_alias(cursor)
    cursor.expect("SET")
    found = [_assignment(cursor, table, alias)]
    while cursor.accept(","):
        found.append(_assignment(cursor, table, alias))
    refuse_overlaps([path for path, _, _ in found])
    columns = tuple((path[0], text) for path, text, _ in found if len(path) == 1)
    fields = tuple((path, text) for path, text, _ in found if len(path) > 1)
    owned = tuple(path for _, _, paths in found for path in paths)
    where = _accept_where(cursor, table, alias)
    return s.Update(table, columns, alias, where, fields, owned)


def _accept_alias(cursor: Cursor) -> str | None:
    if cursor.accept("AS"):
        return cursor.name("an alias")
    if cursor.sees_kind(Kind.QUOTED) or (cursor.sees_kind(Kind.WORD) and not any(cursor.sees(w) for w in _CLAUSES)):
        return cursor.name("an alias")
    return None


def _assignment(
    cursor: Cursor, table: s.TableName, alias: str | None
) -> tuple[tuple[str, ...], str, tuple[tuple[str, ...], ...]]:
    """The path of a column or of a field inside of one, the value, and the path as in Update's ``owned``."""
    owners = [[alias]] if alias is not None else [[table.database, table.table], [table.table]]
    written = read_path(cursor)
    path = without_owner(written, owners)
    cursor.expect("=")
    return path, build_assignment(cursor.span(",", "WHERE"), table, alias), owned_path(written, path)


def _accept_where(cursor: Cursor, table: s.TableName, alias: str | None) -> s.Condition | None:
    return build_condition(cursor.rest(), table, alias) if cursor.accept("WHERE") else None


def truncate_table(cursor: Cursor) -> s.Truncate:
    table = read_present_table(cursor)
    if cursor.sees("PARTITION"):
        raise NotSupported("TRUNCATE of a partition is not supported.", remedy="Use DELETE FROM … WHERE.")
    return s.Truncate(table)


def optimize(cursor: Cursor) -> s.Optimize:
    cursor.accept("TABLE")
    table = read_present_table(cursor)
    where = _accept_where(cursor, table, None)
    if cursor.sees("ZORDER"):
        raise NotSupported("ZORDER is not supported.", remedy="Leave it out.")
    return s.Optimize(table, where)
