"""Reader of ALTER TABLE."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from lakeui.common.errors import ForbiddenStatement, InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.column_definitions import read_check, read_column, unsupported_constraint
from lakeui.sql.common import (
    accept_if_exists,
    read_properties,
    read_property_keys,
)
from lakeui.sql.cursor import Cursor
from lakeui.sql.names import read_path, read_present_table, table_name
from lakeui.sql.partitions import (
    add_field,
    add_partition,
    cluster_by,
    drop_field,
    drop_partition,
    rename_partition,
    replace_field,
)
from lakeui.sql.query import build_constant
from lakeui.sql.types import read_type
from lakeui.sql.unsupported import UNSUPPORTED_CHANGES


def alter_table(cursor: Cursor) -> s.Statement:
    table = read_present_table(cursor)
    for phrase, reader in _CHANGES.items():
        if cursor.accept(*phrase.split()):
            return reader(cursor, table)
    if cursor.sees("ADD", "PARTITION") or cursor.sees("ADD", "IF"):
        cursor.take()
        return add_partition(cursor, table)
    if cursor.sees("DROP", "PARTITION") or cursor.sees("DROP", "IF"):
        cursor.take()
        return drop_partition(cursor, table)
    if cursor.sees("SET", "LOCATION") or cursor.sees("SET", "SERDE") or cursor.sees("SET", "FILEFORMAT"):
        raise ForbiddenStatement("Where a table is stored is not the statement's to say.", remedy="Leave it.")
    for phrase, remedy in UNSUPPORTED_CHANGES.items():
        if cursor.sees(*phrase.split()):
            raise NotSupported(f"ALTER TABLE .. {phrase} is not supported.", remedy=remedy)
    raise cursor.problem("This change of a table is not known")


def _rename(cursor: Cursor, table: s.TableName) -> s.RenameTable:
    return s.RenameTable(table, read_new_name(cursor, table, "A table"))


def read_new_name(cursor: Cursor, table: s.TableName, what: str) -> s.TableName:
    """A new name without a database stays in the present one."""
    start = cursor.index
    name = cursor.name("the new name")
    if not cursor.sees("."):
        new = table_name((table.database, name))
        return s.TableName(new.table, new.database, table.catalog, new.at)
    cursor.index = start
    new = read_present_table(cursor)
    if new.catalog is not None and table.catalog is not None and new.catalog.casefold() != table.catalog.casefold():
        raise InvalidValue(
            f"{what} cannot move to another catalog.", remedy=f"Use CREATE {what[2:].upper()} … AS SELECT."
        )
    return new


def _set_properties(cursor: Cursor, table: s.TableName) -> s.SetTableProperties:
    return s.SetTableProperties(table, read_properties(cursor))


def _unset_properties(cursor: Cursor, table: s.TableName) -> s.UnsetTableProperties:
    if_exists = accept_if_exists(cursor)
    return s.UnsetTableProperties(table, read_property_keys(cursor), if_exists)


# -- columns ----------------------------------------------------------------------------------------------------------


def _add_columns(cursor: Cursor, table: s.TableName) -> s.AddColumns:
    in_parentheses = cursor.accept("(")
    columns: list[tuple[s.ColumnDefinition, s.Position | None]] = []
    while True:
        column, is_key = read_column(cursor, table, may_be_field=True)
        _refuse_beside_type(column)
        if column.identity is not None:
            raise NotSupported(
                "ADD COLUMN takes no identity column: rows that are there on other branches would get other numbers.",
                remedy="Use CREATE OR REPLACE TABLE with the column; or CREATE TABLE, then INSERT .. SELECT.",
            )
        if is_key:
            raise NotSupported("A key cannot be added later.", remedy="Give the PRIMARY KEY in CREATE TABLE.")
        if cursor.sees("CHECK", "(") or cursor.sees("CONSTRAINT"):
            raise NotSupported(
                "ADD COLUMN takes no constraint.",
                remedy="Write ALTER TABLE .. ADD CONSTRAINT name CHECK (condition) behind it.",
            )
        columns.append((column, _accept_position(cursor)))
        if not cursor.accept(","):
            break
    if in_parentheses:
        cursor.expect(")")
    paths = [tuple(name.casefold() for name in (*column.within, column.name)) for column, _ in columns]
    if len(set(paths)) < len(paths):
        raise InvalidValue("A column is added twice.", remedy="Give each column its own name.")
    return s.AddColumns(table, tuple(columns))


def _refuse_beside_type(column: s.ColumnDefinition) -> None:
    """A field inside of a column has a name and a type."""
    if column.within and (not column.nullable or column.default is not None or column.comment is not None):
        path = ".".join((*column.within, column.name))
        raise NotSupported(
            f"{path} is a field inside of a column; it can only have a name, a type and a place.",
            remedy="Leave out NOT NULL, DEFAULT and COMMENT.",
        )


def _accept_position(cursor: Cursor) -> s.Position | None:
    if cursor.accept("FIRST"):
        return s.Position()
    return s.Position(cursor.name("a column's name")) if cursor.accept("AFTER") else None


def _drop_columns(cursor: Cursor, table: s.TableName) -> s.DropColumns:
    if_exists = accept_if_exists(cursor)
    if cursor.sees("("):
        cursor.expect("(")
        paths = _paths(cursor)
        cursor.expect(")")
    else:
        paths = _paths(cursor)
    names = tuple(path[0] for path in paths if len(path) == 1)
    return s.DropColumns(table, names, if_exists, tuple(path for path in paths if len(path) > 1))


def _paths(cursor: Cursor) -> list[tuple[str, ...]]:
    paths = [read_path(cursor)]
    while cursor.accept(","):
        paths.append(read_path(cursor))
    return paths


def _rename_column(cursor: Cursor, table: s.TableName) -> s.RenameColumn:
    column, *fields = read_path(cursor)
    cursor.expect("TO")
    return s.RenameColumn(table, column, cursor.name("the new name"), tuple(fields))


def _alter_column_or_mask(cursor: Cursor, table: s.TableName) -> s.Statement:
    start = cursor.index
    column, *fields = read_path(cursor)
    phrase = cursor.accept_phrase("SET MASK", "UNSET MASK")
    if phrase is None:
        cursor.index = start
        return _alter_columns(cursor, table)
    if fields:
        raise NotSupported(
            f"{'.'.join((column, *fields))} is a field inside of a column.", remedy=f"Mask {column} as a whole."
        )
    return _restriction(cursor, table, phrase, column)


def _set_row_filter(cursor: Cursor, table: s.TableName) -> s.ChangeRestriction:
    return _restriction(cursor, table, "SET")


def _unset_row_filter(cursor: Cursor, table: s.TableName) -> s.ChangeRestriction:
    return _restriction(cursor, table, "UNSET")


def _restriction(cursor: Cursor, table: s.TableName, phrase: str, column: str | None = None) -> s.ChangeRestriction:
    """``[(expression)] FOR ROLE r | GROUP g``; an expression stands behind SET."""
    expression = None
    if phrase.startswith("SET"):
        cursor.expect("(")
        expression = cursor.span()
        cursor.expect(")")
    whom = cursor.accept_phrase("FOR ROLE", "FOR GROUP")
    if whom is None:
        cursor.fail("Expected FOR ROLE or FOR GROUP")
    name = cursor.name("the name of the role or group")
    role, group = (name, None) if whom == "FOR ROLE" else (None, name)
    return s.ChangeRestriction(table, role, group, column, expression)


def _alter_columns(cursor: Cursor, table: s.TableName) -> s.AlterColumn | s.AlterColumns:
    """``a TYPE x, b COMMENT 'y'``: one or several."""
    changes = [_alter_column(cursor, table)]
    while cursor.accept(","):
        changes.append(_alter_column(cursor, table))
    return _several(table, changes)


def _several(table: s.TableName, changes: list[s.AlterColumn]) -> s.AlterColumn | s.AlterColumns:
    if len(changes) == 1:
        return changes[0]
    nullability = (s.SetNotNull, s.DropNotNull)
    defaults = (s.SetDefault, s.DropDefault)
    found = set()
    for item in changes:
        kind = next((kinds for kinds in (nullability, defaults) if isinstance(item.change, kinds)), type(item.change))
        key = (item.column.casefold(), *(field.casefold() for field in item.fields), kind)
        if key in found:
            raise InvalidValue(f"{item.column} is altered twice in the same respect.", remedy="Alter it once.")
        found.add(key)
    if sum(isinstance(item.change, s.MoveColumn) for item in changes) > 1:
        raise NotSupported("One statement moves one column.", remedy="Write one statement for each move.")
    if any(item.fields for item in changes):
        raise NotSupported(
            "A field inside of a column is altered by a statement of its own.", remedy="Write one statement each."
        )
    return s.AlterColumns(table, tuple(changes))


def _change_column(cursor: Cursor, table: s.TableName) -> s.AlterColumn | s.AlterColumns:
    """``a a type [COMMENT '..'] [FIRST | AFTER b]``, in Hive's words; behind the name also what ALTER COLUMN takes."""
    start = cursor.index
    column, *fields = read_path(cursor)
    if fields or any(cursor.sees(word) for word in ("TYPE", "SET", "DROP", "COMMENT", "FIRST", "AFTER")):
        cursor.index = start
        return _alter_columns(cursor, table)
    if cursor.name("the column's name once more").casefold() != column.casefold():
        raise NotSupported(
            "CHANGE COLUMN renames no column.", remedy=f"Use ALTER TABLE .. RENAME COLUMN {column} TO .. for that."
        )
    changes: list[s.ColumnAlteration] = [s.ChangeType(read_type(cursor))]
    if cursor.accept("COMMENT"):
        changes.append(s.SetComment(cursor.string("the comment in quotes")))
    position = _accept_position(cursor)
    if position is not None:
        changes.append(s.MoveColumn(position))
    return _several(table, [s.AlterColumn(table, column, change) for change in changes])


def _replace_columns(cursor: Cursor, table: s.TableName) -> s.ReplaceColumns:
    if not cursor.sees("("):
        cursor.fail("REPLACE COLUMNS takes its columns in parentheses;")
    added = _add_columns(cursor, table)
    for column, position in added.columns:
        if column.within or position is not None or column.generated is not None:
            raise NotSupported(
                "REPLACE COLUMNS takes names, types, NOT NULL, DEFAULT and COMMENT; the columns are in their order.",
                remedy="Leave out FIRST, AFTER and GENERATED, and state a column with fields as a whole.",
                column=column.name,
            )
    return s.ReplaceColumns(table, tuple(column for column, _ in added.columns))


def _alter_column(cursor: Cursor, table: s.TableName) -> s.AlterColumn:
    column, *fields = read_path(cursor)
    change = _alteration(cursor)
    if fields and not isinstance(change, s.ChangeType | s.MoveColumn):
        path = ".".join((column, *fields))
        raise NotSupported(
            f"{path} is a field inside of a column; it can only have a name, a type and a place.",
            remedy="Change its TYPE, or move it by FIRST or AFTER.",
        )
    return s.AlterColumn(table, column, change, tuple(fields))


_PLAIN_ALTERATIONS: dict[str, s.ColumnAlteration] = {
    "SET NOT NULL": s.SetNotNull(),
    "DROP NOT NULL": s.DropNotNull(),
    "DROP DEFAULT": s.DropDefault(),
    "SYNC IDENTITY": s.SyncIdentity(),
}


def _alteration(cursor: Cursor) -> s.ColumnAlteration:
    if cursor.accept_phrase("SET DATA TYPE", "TYPE"):
        return s.ChangeType(read_type(cursor))
    for phrase, plain in _PLAIN_ALTERATIONS.items():
        if cursor.accept(*phrase.split()):
            return plain
    if cursor.accept("SET", "DEFAULT"):
        return s.SetDefault(build_constant(cursor.span(","), "A default"))
    if cursor.accept("COMMENT"):
        return s.SetComment(cursor.string("the comment in quotes"))
    position = _accept_position(cursor)
    if position is not None:
        return s.MoveColumn(position)
    raise cursor.problem("Expected TYPE, SET, DROP, COMMENT, FIRST or AFTER")


# -- constraints ------------------------------------------------------------------------------------------------------


def _add_constraint(cursor: Cursor, table: s.TableName) -> s.AddConstraint:
    return _constraint(cursor, table, cursor.name("the constraint's name"))


def _add_check(cursor: Cursor, table: s.TableName) -> s.AddConstraint:
    return s.AddConstraint(table, read_check(cursor, table))


def _constraint(cursor: Cursor, table: s.TableName, name: str) -> s.AddConstraint:
    if cursor.sees("PRIMARY"):
        return _add_key(cursor, table)
    for word in ("FOREIGN", "UNIQUE"):
        if cursor.sees(word):
            raise unsupported_constraint(word)
    cursor.expect("CHECK")
    return s.AddConstraint(table, read_check(cursor, table, name))


def _add_key(_cursor: Cursor, _table: s.TableName) -> NoReturn:
    raise NotSupported("A key cannot be added later.", remedy="Give the PRIMARY KEY in CREATE TABLE.")


def _drop_constraint(cursor: Cursor, table: s.TableName) -> s.DropConstraint:
    if_exists = accept_if_exists(cursor)
    name = cursor.name("the constraint's name")
    # Nothing depends on a constraint, so both words mean the same.
    cursor.accept_phrase("RESTRICT", "CASCADE")
    return s.DropConstraint(table, name, if_exists)


# ADD and DROP PARTITION are not here: IF [NOT] EXISTS stands between their words.
_CHANGES: dict[str, Callable[[Cursor, s.TableName], s.Statement]] = {
    "RENAME TO": _rename,
    "SET ROW FILTER": _set_row_filter,
    "UNSET ROW FILTER": _unset_row_filter,
    "SET TBLPROPERTIES": _set_properties,
    "UNSET TBLPROPERTIES": _unset_properties,
    "ADD COLUMNS": _add_columns,
    "ADD COLUMN": _add_columns,
    "DROP COLUMNS": _drop_columns,
    "DROP COLUMN": _drop_columns,
    "RENAME COLUMN": _rename_column,
    "ALTER COLUMN": _alter_column_or_mask,
    "ALTER COLUMNS": _alter_columns,
    "ALTER": _alter_column_or_mask,
    "CHANGE COLUMN": _change_column,
    "CHANGE": _change_column,
    "REPLACE COLUMNS": _replace_columns,
    "ADD PARTITION FIELD": add_field,
    "DROP PARTITION FIELD": drop_field,
    "REPLACE PARTITION FIELD": replace_field,
    "CLUSTER BY": cluster_by,
    "PARTITION": rename_partition,
    "ADD CONSTRAINT": _add_constraint,
    "ADD CHECK": _add_check,
    "ADD PRIMARY KEY": _add_key,
    "DROP CONSTRAINT": _drop_constraint,
}
