"""``_row_id`` of a managed table in a query: a column that its rows have where it is named, and that no star has."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from lakeui.common.errors import NotSupported
from lakeui.sql.mentions import Mention

ROW_ID = "_row_id"


def with_row_ids(tree: exp.Expr, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions whose ``_row_id`` a column of the tree names. Stars leave the column out from then on: the tree is
    one over tables that have it. Raises NotSupported where a star of another kind would have it.
    """
    asked: list[Mention] = []
    for column in list(tree.find_all(exp.Column)):
        if isinstance(column.this, exp.Identifier) and column.name.casefold() == ROW_ID and not column.args.get("db"):
            found = _owner(column, mentions)
            if found is not None and found not in asked:
                asked.append(found)
    for mention in asked:
        assert isinstance(mention.owner, exp.Select)
        _leave_out(mention.owner, mention)
    return asked


def _owner(column: exp.Column, mentions: Sequence[Mention]) -> Mention | None:
    """The table that the column is of: by its qualifier in the nearest query around it, or the only one read there."""
    qualifier = column.table.casefold()
    select = column.find_ancestor(exp.Select)
    while select is not None:
        own = [mention for mention in mentions if _is_read_by(mention, select)]
        named = [mention for mention in own if mention.alias.casefold() == qualifier]
        if named:
            return named[0] if _has_ids(named[0]) else None
        if not qualifier:
            is_alone = not (select.args.get("joins") or select.args.get("laterals"))
            return own[0] if is_alone and len(own) == 1 and _has_ids(own[0]) else None
        select = select.find_ancestor(exp.Select)
    return None


def _is_read_by(mention: Mention, select: exp.Select) -> bool:
    place = mention.node.parent
    return isinstance(place, exp.From | exp.Join) and place.parent is select


def _has_ids(mention: Mention) -> bool:
    node = mention.node
    renames = node.args["alias"].args.get("columns")
    return mention.reference.changes is None and not renames and not node.args.get("pivots")


def _leave_out(select: exp.Select, mention: Mention) -> None:
    if any(join.args.get("method") == "NATURAL" for join in select.args.get("joins") or ()):
        raise _refused("NATURAL JOIN would compare it")
    for item in select.expressions:
        for star in item.find_all(exp.Star):
            if star.find_ancestor(exp.Select) is not select or _counts(star):
                continue
            if star is not item and not (isinstance(item, exp.Column) and star.parent is item):
                raise _refused("a star inside of an expression would have it")
            if isinstance(item, exp.Column) and item.table.casefold() != mention.alias.casefold():
                continue
            column = exp.column(ROW_ID, table=mention.alias, quoted=True)
            star.set("except_", [*(star.args.get("except_") or ()), column])


def _counts(star: exp.Star) -> bool:
    parent = star.parent
    return isinstance(parent, exp.Count) or (isinstance(parent, exp.Anonymous) and parent.name.lower() == "count")


def _refused(reason: str) -> NotSupported:
    return NotSupported(
        f"{ROW_ID} cannot be named here: {reason}.",
        remedy=f"Read it in a subquery: FROM (SELECT {ROW_ID}, a, b FROM t) AS x.",
        column=ROW_ID,
    )
