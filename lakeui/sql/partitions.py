"""Readers of how a table is divided: partition fields, clustering, and changes of partitions."""

from __future__ import annotations

from catalog_app.domain.transforms import SPOKEN, WITH_NUMBER
from lakeui.common.errors import ForbiddenStatement, InvalidValue, NotSupported
from lakeui.common.nearest import nearest_name
from lakeui.sql import statements as s
from lakeui.sql.common import accept_if_exists, accept_if_not_exists, read_partition_values
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind


def read_partition_field(cursor: Cursor) -> s.PartitionField:
    """``days(c)``, ``bucket(16, c)``, ``truncate(4, c)``; the number may stand behind the column."""
    word = cursor.name("a transform")
    if not cursor.sees("("):
        raise NotSupported(
            f"{word} as it is cannot become a partition column: rows that are there have values of their own in it.",
            remedy="Name a transform, such as days(c) or bucket(16, c); or create a table PARTITIONED BY the column.",
        )
    name = SPOKEN.get(word.casefold())
    if name is None:
        raise NotSupported(
            f"Partitioning by {word}(…) is not supported.",
            remedy="Use years, months, days or hours of a time, bucket(n, column), truncate(n, column), or a column.",
            nearest=nearest_name(word, SPOKEN),
        )
    cursor.expect("(")
    number = _accept_number(cursor)
    if number is not None:
        cursor.expect(",")
    column = cursor.name("a column")
    if cursor.sees("."):
        raise NotSupported(
            f"{word} takes no field inside of a column.", remedy="Keep the value in a column of its own."
        )
    if number is None and cursor.accept(","):
        number = cursor.integer()
    cursor.expect(")")
    if (number is None) is (name in WITH_NUMBER):
        wanted = f"{name}(16, {column})" if name in WITH_NUMBER else f"{name}({column})"
        raise InvalidValue(f"{word} takes {'a' if number is None else 'no'} number.", remedy=f"Write {wanted}.")
    return s.PartitionField(name, number or 0, column)


def _accept_number(cursor: Cursor) -> int | None:
    return cursor.integer() if cursor.sees_kind(Kind.NUMBER) else None


def read_clustering(cursor: Cursor) -> tuple[str, ...]:
    """``(a, b)``, or NONE."""
    return () if cursor.accept("NONE") else cursor.names_in_parentheses()


# -- changes ----------------------------------------------------------------------------------------------------------


def add_field(cursor: Cursor, table: s.TableName) -> s.ChangeLayout:
    return s.ChangeLayout(table, add=_new_field(cursor))


def drop_field(cursor: Cursor, table: s.TableName) -> s.ChangeLayout:
    return s.ChangeLayout(table, drop=read_partition_field(cursor))


def replace_field(cursor: Cursor, table: s.TableName) -> s.ChangeLayout:
    drop = read_partition_field(cursor)
    cursor.expect("WITH")
    return s.ChangeLayout(table, drop, _new_field(cursor))


def _new_field(cursor: Cursor) -> s.PartitionField:
    field = read_partition_field(cursor)
    if cursor.sees("AS"):
        raise NotSupported(
            "A partition field has no name of its own: it is named by its transform.", remedy="Leave AS out."
        )
    return field


def cluster_by(cursor: Cursor, table: s.TableName) -> s.ClusterBy:
    return s.ClusterBy(table, read_clustering(cursor))


def add_partition(cursor: Cursor, table: s.TableName) -> s.AddPartition:
    if_not_exists = accept_if_not_exists(cursor)
    return s.AddPartition(table, _partitions(cursor), if_not_exists)


def drop_partition(cursor: Cursor, table: s.TableName) -> s.DropPartition:
    if_exists = accept_if_exists(cursor)
    return s.DropPartition(table, _partitions(cursor), if_exists, cursor.accept("PURGE"))


def _partitions(cursor: Cursor) -> tuple[s.PartitionValuesByColumn, ...]:
    """``PARTITION (..) PARTITION (..)``: one or several, with or without commas between them."""
    found = []
    cursor.expect("PARTITION")
    while True:
        found.append(read_partition_values(cursor))
        if cursor.sees("LOCATION"):
            raise ForbiddenStatement(
                "Where a partition is stored is not the statement's to say.", remedy="Leave it out."
            )
        if not (cursor.accept("PARTITION") or cursor.accept(",", "PARTITION")):
            return tuple(found)


def rename_partition(cursor: Cursor, table: s.TableName) -> s.RenamePartition:
    before = read_partition_values(cursor)
    cursor.expect("RENAME", "TO", "PARTITION")
    return s.RenamePartition(table, before, read_partition_values(cursor))
