"""``WITH`` before a statement that writes: its common tables are those of each query inside."""

from __future__ import annotations

from sqlglot import exp

from lakeui.sql.cursor import Cursor
from lakeui.sql.dialect import read_query
from lakeui.sql.lexer import Kind

_WRITES = ("INSERT", "DELETE", "UPDATE", "MERGE")
_QUERY_BEGINS = ("SELECT", "FROM", "VALUES", "TABLE")


def accept_common_tables(cursor: Cursor) -> None:
    """Take a ``WITH`` that stands before INSERT, DELETE, UPDATE or MERGE; that of a query stays where it is."""
    if not cursor.sees("WITH"):
        return
    end = _write_behind(cursor)
    if end is None:
        return
    tree = read_query(cursor.between(cursor.words[cursor.index].start, cursor.words[end - 1].end) + " SELECT 1")
    clause = tree.args.get("with_")
    if not isinstance(clause, exp.With):
        cursor.fail("Expected common tables behind WITH")
    cursor.index, cursor.common = end, _behind(cursor.common, clause)


def _behind(temporary: exp.With | None, clause: exp.With) -> exp.With:
    """The common tables of the statement behind those of the session, of which they hide the ones of their names."""
    if temporary is None:
        return clause
    own = {item.alias.casefold() for item in clause.expressions}
    before = [item for item in temporary.expressions if item.alias.casefold() not in own]
    return exp.With(expressions=[*before, *clause.expressions], recursive=bool(clause.args.get("recursive")))


def sees_common_table(cursor: Cursor) -> bool:
    """Whether a name without database comes next, and it is that of a common table."""
    if cursor.common is None or not cursor.sees_kind(Kind.WORD, Kind.QUOTED):
        return False
    word, following = cursor.words[cursor.index], cursor.words[cursor.index + 1 : cursor.index + 2]
    is_bare = not following or following[0].value != "."
    return is_bare and any(item.alias.casefold() == word.value.casefold() for item in cursor.common.expressions)


def _write_behind(cursor: Cursor) -> int | None:
    """Where the writing statement begins: behind a closed parenthesis, before any query begins."""
    depth = 0
    for index in range(cursor.index + 1, len(cursor.words)):
        word = cursor.words[index]
        if word.kind == Kind.SYMBOL:
            depth += (word.value == "(") - (word.value == ")")
        if depth or word.kind != Kind.WORD:
            continue
        if word.value.upper() in _WRITES and cursor.words[index - 1].value == ")":
            return index
        if word.value.upper() in _QUERY_BEGINS:
            return None
    return None


def outer_queries(tree: exp.Expr) -> list[exp.Expr]:
    """The queries in a tree that stand in no other."""
    kinds = (exp.Select, exp.SetOperation)
    return [node for node in tree.find_all(*kinds) if node.find_ancestor(*kinds) is None]


def with_common_tables(tree: exp.Expr, common: exp.With | None) -> exp.Expr:
    """The tree, each of whose queries has the common tables that it names, directly or through others."""
    if common is None:
        return tree
    for query in outer_queries(tree):
        own = query.args.get("with_")
        hidden = {item.alias.casefold() for item in own.expressions} if own is not None else set()
        needed = [item for item in _needed(query, common) if item.alias.casefold() not in hidden]
        if not needed:
            continue
        is_recursive = bool(common.args.get("recursive") or (own is not None and own.args.get("recursive")))
        tables = [*(item.copy() for item in needed), *(own.expressions if own is not None else ())]
        query.set("with_", exp.With(expressions=tables, recursive=is_recursive))
    return tree


def _needed(query: exp.Expr, common: exp.With) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for item in reversed(common.expressions):
        if any(_names(part, item.alias) for part in (query, *found)):
            found.insert(0, item)
    return found


def _names(tree: exp.Expr, name: str) -> bool:
    tables = tree.find_all(exp.Table)
    return any(not table.args.get("db") and table.name.casefold() == name.casefold() for table in tables)
