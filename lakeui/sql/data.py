"""Readers of statements that read and write rows."""

from __future__ import annotations

from dataclasses import replace

from lakeui.common.errors import ForbiddenStatement, InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind
from lakeui.sql.names import owned_path, read_path, read_present_table, refuse_overlaps, without_owner
from lakeui.sql.query import build_condition, build_constant, build_query, build_values
from lakeui.sql.row_expressions import RowExpressions

_CLAUSES = ("SET", "WHERE")


def select(cursor: Cursor) -> s.Select:
    """A whole query; the cursor stands at its first word."""
    return s.Select(build_query(cursor.rest(), cursor.common))


def table_query(cursor: Cursor) -> s.Select:
    """``TABLE db.t``, short for SELECT * FROM."""
    return s.Select(build_query(_from_table(cursor), cursor.common))


def _from_table(cursor: Cursor) -> str:
    """The text behind the word TABLE, which has been read, as a query; each word stays at its place."""
    word = cursor.words[cursor.index - 1]
    cursor.rest()
    return cursor.between(word.start, word.start) + "FROM " + cursor.text[word.end : cursor.words[-1].end]


# -- INSERT -----------------------------------------------------------------------------------------------------------


def insert_into(cursor: Cursor) -> s.Insert:
    return _insert(cursor, overwrite=False)


def insert_with_schema_evolution(cursor: Cursor) -> s.Insert:
    """``INSERT WITH SCHEMA EVOLUTION INTO | OVERWRITE ..``; the cursor stands at the third of these."""
    if cursor.accept("OVERWRITE"):
        statement = insert_overwrite(cursor)
    else:
        cursor.expect("INTO")
        statement = insert_into(cursor)
    _require_named_columns(statement)
    return replace(statement, with_schema_evolution=True)


def _require_named_columns(statement: s.Insert) -> None:
    """The query alone names the new columns."""
    said = [
        (statement.columns is not None, "list of columns", "Leave the list out: the query names its columns."),
        (statement.partition is not None, "PARTITION", "Give the partition's value as a column of the query."),
        (statement.replaces is not None, "REPLACE WHERE", "Write ALTER TABLE .. ADD COLUMN before."),
        (statement.values is not None, "VALUES", "Write SELECT 1 AS id, or VALUES (1) AS s (id): columns need names."),
    ]
    for is_there, what, remedy in said:
        if is_there:
            raise NotSupported(f"INSERT WITH SCHEMA EVOLUTION takes no {what}.", remedy=remedy)


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
    replaces = _accept_replace(cursor, table, is_possible=not overwrite and partition is None)
    query: s.Query | None
    if cursor.accept("TABLE"):
        query, values = build_query(_from_table(cursor), cursor.common), None
    else:
        query, values = build_values(cursor.rest(), cursor.common)
    return s.Insert(table, query, columns, by_name, overwrite, partition, values, replaces)


def _accept_replace(cursor: Cursor, table: s.TableName, *, is_possible: bool) -> s.Condition | None:
    """``REPLACE WHERE condition``, which ends where the query begins."""
    if not cursor.accept("REPLACE"):
        return None
    if not is_possible or not cursor.accept("WHERE"):
        raise NotSupported(
            "REPLACE stands behind INSERT INTO t, with WHERE.",
            remedy="Write INSERT INTO t REPLACE WHERE condition SELECT .., or use INSERT OVERWRITE.",
        )
    return build_condition(cursor.span("SELECT", "WITH", "VALUES", "TABLE"), table, None)


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
    _refuse_other_tables(cursor, "DELETE", "USING")
    reading = RowExpressions(table, alias, cursor.common)
    where = reading.condition(cursor.rest()) if cursor.accept("WHERE") else None
    return s.Delete(table, alias, where, reading.subqueries, reading.semi_join)


def update(cursor: Cursor) -> s.Update:
    table = read_present_table(cursor)
    alias = _accept_alias(cursor)
    cursor.expect("SET")
    _refuse_other_tables(cursor, "UPDATE", "FROM")
    reading = RowExpressions(table, alias, cursor.common)
    found = [_assignment(cursor, table, alias, reading)]
    while cursor.accept(","):
        found.append(_assignment(cursor, table, alias, reading))
    refuse_overlaps([path for path, _, _ in found])
    columns = tuple((path[0], text) for path, text, _ in found if len(path) == 1)
    fields = tuple((path, text) for path, text, _ in found if len(path) > 1)
    owned = tuple(path for _, _, paths in found for path in paths)
    where = reading.condition(cursor.rest()) if cursor.accept("WHERE") else None
    return s.Update(table, columns, alias, where, fields, owned, reading.subqueries, reading.semi_join)


def _refuse_other_tables(cursor: Cursor, verb: str, word: str) -> None:
    """``UPDATE t SET .. FROM u`` and ``DELETE FROM t USING u`` of other systems: a row of t could meet several of u."""
    depth, before = 0, ""
    for item in cursor.words[cursor.index :]:
        value = item.value.upper() if item.kind in (Kind.WORD, Kind.SYMBOL) else ""
        depth += (value in ("(", "[")) - (value in (")", "]"))
        if depth == 0 and value == "WHERE":
            return
        if depth == 0 and value == word and before != "DISTINCT":
            raise NotSupported(
                f"{verb} .. {word} is not supported: a row could meet several rows of the other table.",
                remedy="Use MERGE INTO t USING u ON .. WHEN MATCHED THEN .., or a subquery in WHERE.",
            )
        before = value


def _accept_alias(cursor: Cursor) -> str | None:
    if cursor.accept("AS"):
        return cursor.name("an alias")
    if cursor.sees_kind(Kind.QUOTED) or (cursor.sees_kind(Kind.WORD) and not any(cursor.sees(w) for w in _CLAUSES)):
        return cursor.name("an alias")
    return None


def _assignment(
    cursor: Cursor, table: s.TableName, alias: str | None, reading: RowExpressions
) -> tuple[tuple[str, ...], str, tuple[tuple[str, ...], ...]]:
    """The path of a column or of a field inside of one, the value, and the path as in Update's ``owned``."""
    owners = [[alias]] if alias is not None else [[table.database, table.table], [table.table]]
    written = read_path(cursor)
    path = without_owner(written, owners)
    cursor.expect("=")
    return path, reading.value(cursor.span(",", "WHERE")), owned_path(written, path)


def truncate_table(cursor: Cursor) -> s.Truncate:
    table = read_present_table(cursor)
    if cursor.sees("PARTITION"):
        raise NotSupported("TRUNCATE of a partition is not supported.", remedy="Use DELETE FROM … WHERE.")
    return s.Truncate(table)


def optimize(cursor: Cursor) -> s.Optimize:
    cursor.accept("TABLE")
    table = read_present_table(cursor)
    where = None
    if cursor.accept("WHERE"):
        where = build_condition(cursor.span(phrases=("ZORDER BY",)), table, None)
    order_by = _order_columns(cursor) if cursor.accept("ZORDER", "BY") else ()
    return s.Optimize(table, where, order_by)


def _order_columns(cursor: Cursor) -> tuple[str, ...]:
    """``(a, b)``, or ``a, b``."""
    if cursor.sees("("):
        return cursor.names_in_parentheses()
    names = [cursor.name("a column name")]
    while cursor.accept(","):
        names.append(cursor.name("a column name"))
    return tuple(names)
