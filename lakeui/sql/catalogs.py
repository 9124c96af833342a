"""Readers of statements on catalogs, branches, databases and history. Each starts behind the words of its entry."""

from __future__ import annotations

from uuid import UUID

from lakeui.common.errors import ForbiddenStatement, InvalidValue
from lakeui.sql import statements as s
from lakeui.sql.common import (
    accept_comment,
    accept_if_exists,
    accept_if_not_exists,
    accept_limit,
    read_properties,
    read_property_keys,
)
from lakeui.sql.cursor import Cursor
from lakeui.sql.decisions import accept_decisions
from lakeui.sql.lexer import Kind
from lakeui.sql.names import accept_as_of, read_branch, read_database, read_table

# -- catalogs ---------------------------------------------------------------------------------------------------------


def create_catalog(cursor: Cursor) -> s.CreateCatalog:
    if_not_exists = accept_if_not_exists(cursor)
    name = cursor.name("the catalog's name")
    return s.CreateCatalog(name, if_not_exists, accept_comment(cursor))


def drop_catalog(cursor: Cursor) -> s.DropCatalog:
    if_exists = accept_if_exists(cursor)
    return s.DropCatalog(cursor.name("the catalog's name"), if_exists)


def alter_catalog(cursor: Cursor) -> s.RenameCatalog | s.SetCatalogProperties | s.UnsetCatalogProperties:
    name = cursor.name("the catalog's name")
    phrase = cursor.accept_phrase("RENAME TO", "SET PROPERTIES", "UNSET PROPERTIES")
    if phrase is None:
        cursor.fail("Expected RENAME TO, SET PROPERTIES or UNSET PROPERTIES")
    if phrase == "RENAME TO":
        return s.RenameCatalog(name, cursor.name("the new name"))
    if phrase.startswith("SET"):
        return s.SetCatalogProperties(name, read_properties(cursor))
    return s.UnsetCatalogProperties(name, read_property_keys(cursor))


def describe_catalog(cursor: Cursor) -> s.DescribeCatalog:
    cursor.accept("EXTENDED")
    return s.DescribeCatalog(cursor.name("the catalog's name"))


def show_catalogs(_cursor: Cursor) -> s.ShowCatalogs:
    return s.ShowCatalogs()


def show_dropped_catalogs(_cursor: Cursor) -> s.ShowDroppedCatalogs:
    return s.ShowDroppedCatalogs()


def use_catalog(cursor: Cursor) -> s.UseCatalog:
    quoted = cursor.string() if cursor.sees_kind(Kind.STRING) else None
    return s.UseCatalog(quoted or cursor.name("the catalog's name"))


# -- branches ---------------------------------------------------------------------------------------------------------


def create_branch(cursor: Cursor) -> s.CreateBranch:
    if_not_exists = accept_if_not_exists(cursor)
    branch = read_branch(cursor)
    parent = read_branch(cursor) if cursor.accept("FROM") else None
    as_of = accept_as_of(cursor)
    expires = _expiry(cursor) if cursor.accept("WITH", "EXPIRY") else None
    return s.CreateBranch(branch, if_not_exists, parent, *as_of, expires)


def _expiry(cursor: Cursor) -> str:
    return cursor.string("how long, as '7 days', or a time in quotes")


def drop_branch(cursor: Cursor) -> s.DropBranch:
    if_exists = accept_if_exists(cursor)
    return s.DropBranch(read_branch(cursor), if_exists)


def alter_branch(cursor: Cursor) -> s.RenameBranch | s.SetBranchExpiry | s.ResetBranch:
    branch = read_branch(cursor)
    phrase = cursor.accept_phrase("RENAME TO", "SET EXPIRY", "UNSET EXPIRY", "RESET TO PARENT")
    if phrase == "RENAME TO":
        return s.RenameBranch(branch, cursor.name("the new name"))
    if phrase == "RESET TO PARENT":
        return s.ResetBranch(branch, _head(cursor))
    if phrase is None:
        cursor.fail("Expected RENAME TO, SET EXPIRY, UNSET EXPIRY or RESET TO PARENT")
    return s.SetBranchExpiry(branch, _expiry(cursor) if phrase == "SET EXPIRY" else None)


def _head(cursor: Cursor) -> int | None:
    if not cursor.accept("IF"):
        return None
    cursor.expect("HEAD", "=")
    return cursor.integer("a version")


def show_branches(_cursor: Cursor) -> s.ShowBranches:
    return s.ShowBranches()


def use_branch(cursor: Cursor) -> s.UseBranch:
    return s.UseBranch(read_branch(cursor))


def use_database(cursor: Cursor) -> s.UseDatabase:
    return s.UseDatabase(read_database(cursor))


def merge_branch(cursor: Cursor) -> s.MergeBranch:
    source = read_branch(cursor)
    names_target = cursor.accept("TO") or cursor.accept("INTO")
    destination = read_branch(cursor) if names_target else None
    decisions = accept_decisions(cursor)
    return s.MergeBranch(source, destination, decisions=decisions)


# -- tags -------------------------------------------------------------------------------------------------------------


def create_tag(cursor: Cursor) -> s.CreateTag:
    tag = read_branch(cursor)
    branch = read_branch(cursor) if cursor.accept("FROM") else None
    return s.CreateTag(tag, branch, *accept_as_of(cursor))


def drop_tag(cursor: Cursor) -> s.DropTag:
    return s.DropTag(read_branch(cursor))


def alter_tag(cursor: Cursor) -> s.RenameTag:
    tag = read_branch(cursor)
    cursor.expect("RENAME", "TO")
    return s.RenameTag(tag, cursor.name("the new name"))


def show_tags(_cursor: Cursor) -> s.ShowTags:
    return s.ShowTags()


# -- transactions -----------------------------------------------------------------------------------------------------


def begin(cursor: Cursor) -> s.BeginTransaction:
    cursor.accept("TRANSACTION")
    return s.BeginTransaction()


def commit(cursor: Cursor) -> s.CommitTransaction:
    cursor.accept_phrase("TRANSACTION", "WORK")
    return s.CommitTransaction()


def rollback(cursor: Cursor) -> s.RollbackTransaction:
    cursor.accept_phrase("TRANSACTION", "WORK")
    return s.RollbackTransaction()


# -- databases --------------------------------------------------------------------------------------------------------


def create_database(cursor: Cursor) -> s.CreateDatabase:
    if_not_exists = accept_if_not_exists(cursor)
    database = read_database(cursor)
    comment: str | None = None
    properties: s.Properties = ()
    while not cursor.at_end:
        if cursor.sees("COMMENT") and comment is None:
            comment = accept_comment(cursor)
        elif not properties and (cursor.accept("WITH", "DBPROPERTIES") or cursor.accept("WITH", "PROPERTIES")):
            properties = read_properties(cursor)
        elif cursor.sees("LOCATION") or cursor.sees("MANAGED", "LOCATION"):
            raise ForbiddenStatement(
                "Where a database is stored is not the statement's to say.", remedy="Leave it out."
            )
        else:
            break
    return s.CreateDatabase(database, if_not_exists, comment, properties)


def drop_database(cursor: Cursor) -> s.DropDatabase:
    if_exists = accept_if_exists(cursor)
    database = read_database(cursor)
    cascade = cursor.accept("CASCADE")
    if not cascade:
        cursor.accept("RESTRICT")
    return s.DropDatabase(database, if_exists, cascade)


def alter_database(
    cursor: Cursor,
) -> s.RenameDatabase | s.SetDatabaseProperties | s.UnsetDatabaseProperties:
    database = read_database(cursor)
    if cursor.accept("RENAME", "TO"):
        return s.RenameDatabase(database, cursor.name("the new name"))
    phrase = cursor.accept_phrase("SET DBPROPERTIES", "SET PROPERTIES", "UNSET DBPROPERTIES", "UNSET PROPERTIES")
    if phrase is None:
        cursor.fail("Expected RENAME TO, SET DBPROPERTIES or UNSET DBPROPERTIES")
    if phrase.startswith("SET"):
        return s.SetDatabaseProperties(database, read_properties(cursor))
    if_exists = accept_if_exists(cursor)
    return s.UnsetDatabaseProperties(database, read_property_keys(cursor), if_exists)


def describe_database(cursor: Cursor) -> s.DescribeDatabase:
    cursor.accept("EXTENDED")
    return s.DescribeDatabase(read_database(cursor))


# -- history ----------------------------------------------------------------------------------------------------------


def describe_history(cursor: Cursor) -> s.DescribeHistory:
    return s.DescribeHistory(read_table(cursor), accept_limit(cursor))


def show_history(cursor: Cursor) -> s.ShowHistory:
    return s.ShowHistory(accept_limit(cursor))


def show_segments(cursor: Cursor) -> s.ShowSegments:
    return s.ShowSegments(read_table(cursor))


def show_merges(cursor: Cursor) -> s.ShowMerges:
    return s.ShowMerges(accept_limit(cursor))


def show_queries(_cursor: Cursor) -> s.ShowQueries:
    return s.ShowQueries()


def cancel_query(cursor: Cursor) -> s.CancelQuery:
    text = cursor.string("the id in quotes")
    try:
        return s.CancelQuery(str(UUID(text)))
    except ValueError:
        raise InvalidValue(f"{text!r} is not the id of a query.", remedy="SHOW QUERIES lists them.") from None


def show_changes(cursor: Cursor) -> s.ShowChanges:
    table = read_table(cursor)
    cursor.expect("FROM")
    first = _snapshot_point(cursor)
    cursor.expect("TO")
    return s.ShowChanges(table, first, _snapshot_point(cursor))


def _snapshot_point(cursor: Cursor) -> s.SnapshotPoint:
    if cursor.accept("VERSION"):
        return cursor.integer("a version")
    kind = cursor.accept_phrase("BRANCH", "TAG")
    if kind is None:
        cursor.fail("Expected VERSION, BRANCH or TAG")
    name = read_branch(cursor)
    if name.catalog is not None:
        raise InvalidValue(
            f"The {kind.lower()} {name.branch} is looked for in the catalog of the table.",
            remedy=f"Write {kind} {name.branch}, and the catalog in the name of the table.",
        )
    return s.NamedPoint(name.branch, is_tag=kind == "TAG")
