"""Readers of SHOW and DESCRIBE on databases, tables and functions, and of COMMENT ON."""

from __future__ import annotations

from catalog_app.domain.quoting import quote_name
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.common import read_property_key
from lakeui.sql.common_tables import sees_common_table
from lakeui.sql.cursor import Cursor
from lakeui.sql.names import read_database, read_path, read_present_table, read_table, table_name
from lakeui.sql.query import build_query


def accept_pattern(cursor: Cursor) -> str | None:
    """``[LIKE] 'a*|b*'``: a star stands for any text, a bar between names for either."""
    if cursor.accept("LIKE"):
        return cursor.string("a pattern in quotes")
    return None if cursor.at_end else cursor.string("LIKE and a pattern in quotes")


def _accept_database(cursor: Cursor) -> s.DatabaseName | None:
    return read_database(cursor) if cursor.accept_phrase("IN", "FROM") else None


def show_databases(cursor: Cursor) -> s.ShowDatabases:
    return s.ShowDatabases(accept_pattern(cursor))


def show_tables(cursor: Cursor) -> s.ShowTables:
    return s.ShowTables(_accept_database(cursor), accept_pattern(cursor))


def show_table_extended(cursor: Cursor) -> s.ShowTableExtended:
    database = _accept_database(cursor)
    cursor.expect("LIKE")
    pattern = cursor.string("a pattern in quotes")
    if cursor.sees("PARTITION"):
        raise NotSupported(
            "SHOW TABLE EXTENDED tells nothing of one partition.", remedy="SHOW PARTITIONS lists those of a table."
        )
    return s.ShowTableExtended(database, pattern)


def show_views(cursor: Cursor) -> s.ShowViews:
    return s.ShowViews(_accept_database(cursor), accept_pattern(cursor))


def show_functions(cursor: Cursor) -> s.ShowFunctions:
    return _functions(cursor)


def show_user_functions(cursor: Cursor) -> s.ShowFunctions:
    return _functions(cursor, of_session=True)


def _functions(cursor: Cursor, *, of_session: bool = False) -> s.ShowFunctions:
    if cursor.sees("IN") or cursor.sees("FROM"):
        raise NotSupported(
            "No database has functions: they are of Spark SQL, or of the session.",
            remedy="Write SHOW [USER] FUNCTIONS [LIKE 'pattern'].",
        )
    return s.ShowFunctions(accept_pattern(cursor), of_session)


def show_properties(cursor: Cursor) -> s.ShowTableProperties:
    table = read_table(cursor)
    key = None
    if cursor.accept("("):
        key = read_property_key(cursor)
        cursor.expect(")")
    return s.ShowTableProperties(table, key)


def show_columns(cursor: Cursor) -> s.ShowColumns:
    """``IN t IN d`` is ``IN d.t``."""
    if not cursor.accept_phrase("IN", "FROM"):
        cursor.fail("Expected IN and a table's name")
    start = cursor.index
    name = cursor.name("a table's name")
    if cursor.accept_phrase("IN", "FROM"):
        database = read_database(cursor)
        parts = (database.database, name) if database.catalog is None else (database.catalog, database.database, name)
        return s.ShowColumns(table_name(parts))
    cursor.index = start
    return s.ShowColumns(read_table(cursor))


def show_schema_versions(cursor: Cursor) -> s.ShowSchemaVersions:
    return s.ShowSchemaVersions(read_table(cursor))


def describe_table(cursor: Cursor) -> s.DescribeTable | s.DescribeColumn | s.DescribeQuery:
    """Also without the word TABLE; FORMATTED is the same as EXTENDED. A temporary view has columns alone."""
    extended = cursor.accept_phrase("EXTENDED", "FORMATTED") is not None
    if sees_common_table(cursor):
        return s.DescribeQuery(build_query(f"SELECT * FROM {quote_name(cursor.name())}", cursor.common))
    table = read_table(cursor)
    if cursor.at_end:
        return s.DescribeTable(table, extended)
    if cursor.sees("PARTITION") or cursor.sees("VERSION", "AS") or cursor.sees("TIMESTAMP", "AS"):
        cursor.fail("DESCRIBE tells of a table as it is, or of one column; a column's name cannot be")
    return s.DescribeColumn(table, read_path(cursor))


def describe_detail(cursor: Cursor) -> s.DescribeDetail:
    return s.DescribeDetail(read_table(cursor))


def comment_on(cursor: Cursor) -> s.SetDatabaseProperties | s.SetTableProperties | s.AlterColumn:
    """A comment is a property of a database or table, and an attribute of a column. NULL takes it away."""
    if cursor.accept_phrase("DATABASE", "SCHEMA", "NAMESPACE"):
        database = read_database(cursor)
        return s.SetDatabaseProperties(database, ((s.COMMENT, _text(cursor)),))
    if cursor.accept("TABLE"):
        table = read_present_table(cursor)
        return s.SetTableProperties(table, ((s.COMMENT, _text(cursor)),))
    cursor.expect("COLUMN")
    *parts, column = read_path(cursor)
    if len(parts) < 2:
        raise InvalidValue(
            f"The column {column} is named without its table and database.", remedy=f"Write db.table.{column}."
        )
    table = table_name(tuple(parts))
    if table.at is not None:
        raise InvalidValue("A table of another branch can only be read.", remedy="Choose the branch by USE BRANCH.")
    return s.AlterColumn(table, column, s.SetComment(_text(cursor)))


def _text(cursor: Cursor) -> str:
    cursor.expect("IS")
    return "" if cursor.accept("NULL") else cursor.string("the comment in quotes, or NULL")


def show_restrictions(cursor: Cursor) -> s.ShowRestrictions:
    return s.ShowRestrictions(read_present_table(cursor) if cursor.accept("ON") else None)
