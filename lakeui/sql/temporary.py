"""What a session keeps beside its place: temporary views, and how INSERT OVERWRITE treats partitions.

A temporary view is a name for a query, which whoever keeps the session sends along. Statements that name it read it
as a common table.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from catalog_app.domain.quoting import quote_name
from lakeui.common.errors import ForbiddenStatement, InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.common import accept_if_exists
from lakeui.sql.common_tables import with_common_tables
from lakeui.sql.cursor import Cursor
from lakeui.sql.dialect import read_query, write
from lakeui.sql.lexer import Kind, Word
from lakeui.sql.mentions import moving_times_refuse
from lakeui.sql.names import full_names
from lakeui.sql.query import build_query
from lakeui.sql.session_functions import function_names_given
from lakeui.sql.session_values import session_values_refused
from lakeui.sql.views import read_view_columns, read_view_properties

PARTITION_OVERWRITE = "spark.sql.sources.partitionoverwritemode"
_NO_SESSION = "a temporary view is read by other statements than the one that made it."
_READ_AGAIN = "The query of a temporary view is read again behind another USE DATABASE."
OVERWRITE_MODES = ("static", "dynamic")


def temporary_tables(views: Sequence[tuple[str, str]], words: Sequence[Word]) -> exp.With | None:
    """The views that the words of a statement may name, as common tables."""
    if not views:
        return None
    named = {word.value.casefold() for word in words if word.kind in (Kind.WORD, Kind.QUOTED)}
    with session_values_refused(_NO_SESSION):
        tables = [
            exp.CTE(this=read_query(text), alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
            for name, text in views
            if name.casefold() in named
        ]
    return exp.With(expressions=tables) if tables else None


def create_temporary_view(cursor: Cursor) -> s.CreateTemporaryView:
    return _create(cursor, or_replace=False)


def create_or_replace_temporary_view(cursor: Cursor) -> s.CreateTemporaryView:
    return _create(cursor, or_replace=True)


def _create(cursor: Cursor, *, or_replace: bool) -> s.CreateTemporaryView:
    if cursor.sees("IF"):
        raise NotSupported(
            "A temporary view takes no IF NOT EXISTS, as in Spark.", remedy="Write CREATE OR REPLACE TEMPORARY VIEW."
        )
    name = cursor.name("the view's name")
    if cursor.sees("."):
        raise InvalidValue(
            f"The temporary view {name} is of the session, not of a database.", remedy="Name it without a database."
        )
    columns = read_view_columns(cursor) if cursor.sees("(") else ()
    if read_view_properties(cursor) or any(column.comment is not None for column in columns):
        raise NotSupported("A temporary view has no comments and properties.", remedy="Leave them out.")
    if cursor.sees("USING"):
        raise ForbiddenStatement(
            "CREATE TEMPORARY VIEW … USING could reach the host or another system and is not allowed.",
            remedy="Work with managed tables; files come in by upload or import.",
            statement="CREATE TEMPORARY VIEW",
        )
    cursor.expect("AS")
    padded = cursor.rest()
    with full_names(_READ_AGAIN), session_values_refused(_NO_SESSION):
        moving_times_refuse(read_query(padded))
        query = build_query(padded, cursor.common)
        text = _whole(padded.strip(), name, columns, cursor.common)
        return s.CreateTemporaryView(name, build_query(text) if columns else query, text, or_replace)


def _whole(text: str, name: str, columns: Sequence[s.ViewColumn], common: exp.With | None) -> str:
    """The query with the temporary views and functions in it that it names: what becomes of these later does not touch
    it.
    """
    if any(word.value.casefold() in function_names_given() for word in Cursor(text).words):
        text = write(read_query(text))
    if common is not None:
        tree = with_common_tables(read_query(text), common)
        text = write(tree) if any(cte.alias for cte in tree.find_all(exp.CTE)) else text
    if not columns:
        return text
    names = ", ".join(quote_name(column.name) for column in columns)
    return f"SELECT * FROM (\n{text}\n) AS {quote_name(name)} ({names})"


def drop_temporary_view(cursor: Cursor) -> s.DropTemporaryView:
    if_exists = accept_if_exists(cursor)
    return s.DropTemporaryView(cursor.name("the view's name"), if_exists)


def describe_query(cursor: Cursor) -> s.DescribeQuery:
    return s.DescribeQuery(build_query(cursor.rest(), cursor.common))


def set_setting(cursor: Cursor) -> s.SetPartitionOverwrite:
    """``SET spark.sql.sources.partitionOverwriteMode = STATIC | DYNAMIC``; no other setting is the statement's."""
    start, name = cursor.index, ""
    while cursor.current is not None and not cursor.sees("="):
        name += cursor.take().value
    if name.casefold() != PARTITION_OVERWRITE or not cursor.accept("="):
        cursor.index = start
        raise ForbiddenStatement(
            "SET could reach the host or another system and is not allowed.",
            remedy="Work with managed tables; of settings only spark.sql.sources.partitionOverwriteMode may be set.",
            statement="SET",
        )
    mode = cursor.take().value.casefold() if cursor.current is not None else ""
    if mode not in OVERWRITE_MODES:
        raise InvalidValue("partitionOverwriteMode is STATIC or DYNAMIC.", remedy="Write one of the two.")
    return s.SetPartitionOverwrite(is_dynamic=mode == "dynamic")
