"""Columns of a managed table that its rows have where a query names them, and that no star has: ``_row_id``,
``_commit_version`` and ``_metadata``, the file of a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from lakeui.common.errors import NotSupported
from lakeui.sql.dialect import read_expression, write
from lakeui.sql.mentions import Mention

ROW_ID, COMMIT_VERSION, FILE = "_row_id", "_commit_version", "_metadata"
METADATA_COLUMNS = (ROW_ID, COMMIT_VERSION, FILE)


def with_metadata_columns(tree: exp.Expr, mentions: Sequence[Mention]) -> dict[str, tuple[str, ...]]:
    """By placeholder the columns of ``METADATA_COLUMNS`` that the tree names of that mention. Stars leave them out from
    then on: the tree is one over tables that have them. Raises NotSupported where a star of another kind would have
    one.
    """
    asked: dict[str, set[str]] = {}
    found: list[tuple[Mention, str]] = []
    for column in list(tree.find_all(exp.Column)):
        named = _named(column)
        owner = None if named is None else _owner(column, named[0], mentions)
        if named is None or owner is None or named[1] in asked.setdefault(owner.reference.placeholder, set()):
            continue
        asked[owner.reference.placeholder].add(named[1])
        found.append((owner, named[1]))
    for mention, name in found:
        assert isinstance(mention.owner, exp.Select)
        _leave_out(mention.owner, mention, name)
    return {key: tuple(name for name in METADATA_COLUMNS if name in names) for key, names in asked.items() if names}


def row_id_as(condition: str, alias: str, column: str) -> str:
    """The condition with ``column`` where it names the row id of the table that it calls by the alias. What subqueries
    name is theirs.
    """
    if ROW_ID not in condition.casefold():
        return condition
    tree = exp.Paren(this=read_expression(condition))
    for named in tree.find_all(exp.Column):
        if _named(named) in (("", ROW_ID), (alias.casefold(), ROW_ID)) and named.find_ancestor(exp.Query) is None:
            named.set("this", exp.to_identifier(column, quoted=True))
    return write(tree.this)


def _named(column: exp.Column) -> tuple[str, str] | None:
    """The qualifier of a column, folded, and which one of ``METADATA_COLUMNS`` it may be."""
    parts = [part.name.casefold() for part in column.parts if isinstance(part, exp.Identifier)]
    if len(parts) != len(column.parts) or len(parts) > 3:
        return None
    for qualifier, rest in (("", parts), (parts[0], parts[1:])):
        if rest and rest[0] in METADATA_COLUMNS and (len(rest) == 1 or (rest[0] == FILE and len(rest) == 2)):
            return qualifier, rest[0]
    return None


def _owner(column: exp.Column, qualifier: str, mentions: Sequence[Mention]) -> Mention | None:
    """The table that the column is of: by its qualifier in the nearest query around it, or the only one read there."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        own = [mention for mention in mentions if _is_read_by(mention, select)]
        named = [mention for mention in own if mention.alias.casefold() == qualifier]
        if named:
            return named[0] if _has_them(named[0]) else None
        if not qualifier:
            is_alone = not (select.args.get("joins") or select.args.get("laterals"))
            return own[0] if is_alone and len(own) == 1 and _has_them(own[0]) else None
        select = select.find_ancestor(exp.Select)
    return None


def _is_read_by(mention: Mention, select: exp.Select) -> bool:
    place = mention.node.parent
    return isinstance(place, exp.From | exp.Join) and place.parent is select


def _has_them(mention: Mention) -> bool:
    node = mention.node
    renames = node.args["alias"].args.get("columns")
    return mention.reference.changes is None and not renames and not node.args.get("pivots")


def _leave_out(select: exp.Select, mention: Mention, name: str) -> None:
    for join in select.args.get("joins") or ():
        if join.args.get("method") == "NATURAL":
            raise _refused(name, "NATURAL JOIN would compare it")
        if any(item.name.casefold() == name for item in join.args.get("using") or ()):
            raise _refused(name, "USING takes columns of the tables alone")
    for item in select.expressions:
        for star in item.find_all(exp.Star):
            if star.find_ancestor(exp.Select) is not select or _counts(star):
                continue
            if star is not item and not (isinstance(item, exp.Column) and star.parent is item):
                raise _refused(name, "a star inside of an expression would have it")
            if isinstance(item, exp.Column) and item.table.casefold() != mention.alias.casefold():
                continue
            column = exp.column(name, table=mention.alias, quoted=True)
            star.set("except_", [*(star.args.get("except_") or ()), column])


def _counts(star: exp.Star) -> bool:
    parent = star.parent
    return isinstance(parent, exp.Count) or (isinstance(parent, exp.Anonymous) and parent.name.lower() == "count")


def _refused(name: str, reason: str) -> NotSupported:
    return NotSupported(
        f"{name} cannot be named here: {reason}.",
        remedy=f"Read it in a subquery: FROM (SELECT {name} AS x, a, b FROM t) AS q.",
        column=name,
    )
