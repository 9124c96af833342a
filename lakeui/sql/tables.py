"""Readers of CREATE TABLE, and of other statements on whole tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lakeui.common.errors import ForbiddenStatement, InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.column_definitions import read_check, read_column, unsupported_constraint
from lakeui.sql.common import (
    accept_comment,
    accept_if_exists,
    accept_if_not_exists,
    read_partition_values,
    read_properties,
)
from lakeui.sql.cursor import Cursor
from lakeui.sql.names import read_past_table, read_present_table, read_table
from lakeui.sql.partitions import read_clustering, read_partition_field
from lakeui.sql.query import build_query

_FOREIGN_CONSTRAINTS = ("FOREIGN", "UNIQUE")


@dataclass(slots=True)
class _TableDraft:
    """What has been read of a CREATE TABLE so far. ``asked_format``: as in CreateTable."""

    columns: list[s.ColumnDefinition] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    comment: str | None = None
    properties: s.Properties = ()
    asked_format: str | None = None
    checks: list[s.CheckConstraint] = field(default_factory=list)
    layout: tuple[s.PartitionField, ...] = ()
    cluster_by: tuple[str, ...] = ()


# -- CREATE TABLE -----------------------------------------------------------------------------------------------------


def create_or_replace_table(cursor: Cursor) -> s.CreateTable:
    return replace(_new_content(cursor, "CREATE OR REPLACE TABLE"), replaces=True)


def replace_table(cursor: Cursor) -> s.CreateTable:
    return replace(_new_content(cursor, "REPLACE TABLE"), replaces=True, must_exist=True)


def _new_content(cursor: Cursor, phrase: str) -> s.CreateTable:
    if cursor.sees("IF"):
        cursor.fail(f"{phrase} takes no IF;")
    statement = create_table(cursor)
    if statement.like is not None:
        raise NotSupported(
            f"{phrase} .. LIKE is not supported.",
            remedy="Write the columns, or AS SELECT * FROM that table WHERE false.",
        )
    if statement.taken is not None:
        raise NotSupported(
            f"{phrase} .. FROM is not supported: the table stays the same object, and its columns have ids.",
            remedy="Drop the table and CREATE TABLE .. FROM; or take the files over under another name.",
        )
    if statement.clone is not None:
        raise NotSupported(
            f"{phrase} .. CLONE is not supported: the table stays the same object, and a clone is a new one.",
            remedy="Use AS SELECT * FROM that table; or drop the table and CREATE TABLE .. CLONE.",
        )
    return statement


def create_table(cursor: Cursor) -> s.CreateTable:
    if_not_exists = accept_if_not_exists(cursor)
    table = read_present_table(cursor)
    draft = _TableDraft()
    if cursor.accept("LIKE"):
        return _create_like(cursor, table, if_not_exists)
    if cursor.accept_phrase("SHALLOW CLONE", "CLONE"):
        return _create_clone(cursor, table, if_not_exists)
    if cursor.accept("FROM"):
        return _create_from(cursor, table, if_not_exists)
    if cursor.sees("DEEP", "CLONE"):
        raise NotSupported(
            "DEEP CLONE is not supported: a clone shares its source's files, which stay as long as it needs them.",
            remedy="Write CLONE; or CREATE TABLE .. AS SELECT, which writes the rows anew.",
        )
    if cursor.sees("(") and not cursor.sees("(", "SELECT"):
        _read_columns(cursor, draft, table)
    _read_clauses(cursor, draft, table)
    query = None
    if cursor.accept("AS") or cursor.sees("SELECT") or cursor.sees("WITH"):
        query = build_query(cursor.rest(), cursor.common)
    _check_draft(cursor, draft, query)
    return s.CreateTable(
        table=table,
        if_not_exists=if_not_exists,
        columns=tuple(_with_key(column, draft.primary_key) for column in draft.columns),
        primary_key=draft.primary_key,
        partition_by=draft.partition_by,
        comment=draft.comment,
        properties=draft.properties,
        query=query,
        asked_format=draft.asked_format,
        checks=tuple(draft.checks),
        layout=draft.layout,
        cluster_by=draft.cluster_by,
    )


def _create_like(cursor: Cursor, table: s.TableName, if_not_exists: bool) -> s.CreateTable:
    like, draft = read_table(cursor), _TableDraft()
    _read_clauses(cursor, draft, table)
    if draft.columns or draft.partition_by or draft.layout or draft.cluster_by or draft.comment is not None:
        raise NotSupported(
            "CREATE TABLE LIKE takes columns, partitioning and comment from the other table.",
            remedy="Leave the clause out, or use CREATE TABLE with columns.",
        )
    return s.CreateTable(table, if_not_exists, properties=draft.properties, like=like, asked_format=draft.asked_format)


def _create_clone(cursor: Cursor, table: s.TableName, if_not_exists: bool) -> s.CreateTable:
    clone = read_past_table(cursor)
    if cursor.sees("AT", "(") or cursor.sees("BEFORE", "("):
        raise NotSupported(
            "AT and BEFORE are not supported.",
            remedy="Write VERSION AS OF 12 or TIMESTAMP AS OF '2026-01-31 10:00:00'.",
        )
    properties = read_properties(cursor) if cursor.accept("TBLPROPERTIES") else ()
    if not cursor.at_end:
        _refuse_clause(cursor)
        cursor.fail("A clone takes all from its source but TBLPROPERTIES; it ends")
    return s.CreateTable(table, if_not_exists, properties=properties, clone=clone)


def _create_from(cursor: Cursor, table: s.TableName, if_not_exists: bool) -> s.CreateTable:
    """``FROM PARQUET|ICEBERG|DELTA 'uri'``: the files say columns and partitions."""
    form = cursor.accept_phrase("PARQUET", "ICEBERG", "DELTA")
    if form is None:
        cursor.fail("Expected PARQUET, ICEBERG or DELTA")
    taken, draft = s.OutsideTable(form, cursor.string("the place of the table in quotes")), _TableDraft()
    _read_clauses(cursor, draft, table)
    if draft.columns or draft.partition_by or draft.asked_format:
        raise NotSupported(
            "CREATE TABLE .. FROM takes columns and partitions from the files.",
            remedy="Leave the clause out, or change the table afterwards.",
        )
    return s.CreateTable(table, if_not_exists, comment=draft.comment, properties=draft.properties, taken=taken)


def _with_key(column: s.ColumnDefinition, key: tuple[str, ...]) -> s.ColumnDefinition:
    is_key = column.name.casefold() in {name.casefold() for name in key}
    return replace(column, nullable=False) if is_key else column


def _read_columns(cursor: Cursor, draft: _TableDraft, table: s.TableName) -> None:
    cursor.expect("(")
    while True:
        if not _read_constraint(cursor, draft, table):
            column, is_key = read_column(cursor, table)
            draft.columns.append(column)
            if is_key:
                _set_key(draft, (column.name,))
            while _read_constraint(cursor, draft, table, of=column.name):
                pass
        if not cursor.accept(","):
            break
    cursor.expect(")")


def _read_constraint(cursor: Cursor, draft: _TableDraft, table: s.TableName, *, of: str = "") -> bool:
    """``of``: the column behind which the constraint stands."""
    name = None
    if cursor.accept("CONSTRAINT"):
        name = cursor.name("the constraint's name")
    if not of and cursor.accept("PRIMARY", "KEY"):
        _set_key(draft, cursor.names_in_parentheses())
        return True
    if cursor.sees("CHECK", "("):
        cursor.take()
        draft.checks.append(read_check(cursor, table, name))
        return True
    for word in _FOREIGN_CONSTRAINTS:
        if cursor.sees(word, "(") or cursor.sees(word, "KEY"):
            raise unsupported_constraint(word)
    if name is not None:
        cursor.fail("Expected PRIMARY KEY or CHECK" if not of else "Expected CHECK")
    return False


def _set_key(draft: _TableDraft, names: tuple[str, ...]) -> None:
    if draft.primary_key:
        raise InvalidValue("The table has two primary keys.", remedy="Name all columns in one PRIMARY KEY (…).")
    draft.primary_key = names


def _read_clauses(cursor: Cursor, draft: _TableDraft, table: s.TableName) -> None:
    while True:
        if cursor.accept("USING"):
            draft.asked_format = _read_format(cursor)
        elif cursor.accept("PARTITIONED", "BY"):
            _read_partitioning(cursor, draft, table)
        elif cursor.accept("CLUSTER", "BY"):
            draft.cluster_by = read_clustering(cursor)
        elif cursor.sees("COMMENT"):
            draft.comment = accept_comment(cursor)
        elif cursor.accept("TBLPROPERTIES"):
            draft.properties = read_properties(cursor)
        else:
            _refuse_clause(cursor)
            return


def _refuse_clause(cursor: Cursor) -> None:
    """Clauses of Spark that name places, or layouts that we do not have."""
    if cursor.sees("LOCATION") or cursor.sees("OPTIONS") or cursor.sees("STORED") or cursor.sees("ROW", "FORMAT"):
        raise ForbiddenStatement(
            "Where and how a table is stored is not the statement's to say.", remedy="Leave the clause out."
        )
    if cursor.sees("CLUSTERED"):
        raise NotSupported(
            "CLUSTERED BY is not supported: its buckets are those of Hive.",
            remedy="Use PARTITIONED BY (bucket(16, column)).",
        )


def _read_format(cursor: Cursor) -> str | None:
    """A format whose tables are managed here as well; None for Parquet, in which all tables are stored."""
    name = cursor.name("a format")
    if name.casefold() not in ("parquet", "delta", "iceberg"):
        raise NotSupported(f"USING {name} is not supported.", remedy="Leave it out; tables are stored as Parquet.")
    return None if name.casefold() == "parquet" else name.upper()


def _read_partitioning(cursor: Cursor, draft: _TableDraft, table: s.TableName) -> None:
    cursor.expect("(")
    names: list[str] = []
    layout: list[s.PartitionField] = []
    while True:
        start = cursor.index
        name = cursor.name("a partition column")
        if cursor.sees("("):
            cursor.index = start
            layout.append(read_partition_field(cursor))
            if not cursor.accept(","):
                break
            continue
        if not (cursor.sees(",") or cursor.sees(")")):
            cursor.index = start
            draft.columns.append(read_column(cursor, table)[0])
        names.append(name)
        if not cursor.accept(","):
            break
    cursor.expect(")")
    draft.partition_by, draft.layout = tuple(names), tuple(layout)


def _check_draft(cursor: Cursor, draft: _TableDraft, query: s.Query | None) -> None:
    if query is None and not draft.columns:
        cursor.fail("A table needs columns or AS SELECT; it ends")
    if query is not None and draft.columns:
        raise NotSupported("Columns and AS SELECT together are not supported.", remedy="Use one of the two.")
    names = [column.name.casefold() for column in draft.columns]
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(f"The column {name} is there twice.", remedy="Give each column its own name.")
    of_layout = tuple(dict.fromkeys(item.column.casefold() for item in draft.layout))
    named = {"primary key": draft.primary_key, "partitioning": draft.partition_by, "clustering": draft.cluster_by}
    for role, chosen in (*named.items(), ("partitioning", of_layout)):
        folded = [name.casefold() for name in chosen]
        missing = [name for name in chosen if name.casefold() not in names]
        if missing and query is None:
            raise InvalidValue(
                f"The {role} names {missing[0]}, which is no column.", remedy="Name a column of the table."
            )
        if len(set(folded)) < len(folded):
            raise InvalidValue(f"The {role} names a column twice.", remedy="Name it once.")


# -- other statements on tables ---------------------------------------------------------------------------------------


def drop_table(cursor: Cursor) -> s.DropTable:
    if_exists = accept_if_exists(cursor)
    return s.DropTable(read_present_table(cursor), if_exists, cursor.accept("PURGE"))


def show_create_table(cursor: Cursor) -> s.ShowCreateTable:
    return s.ShowCreateTable(read_table(cursor))


def show_profile(cursor: Cursor) -> s.ShowProfile:
    return s.ShowProfile(read_past_table(cursor))


def show_partitions(cursor: Cursor) -> s.ShowPartitions:
    table = read_table(cursor)
    return s.ShowPartitions(table, read_partition_values(cursor) if cursor.accept("PARTITION") else ())
