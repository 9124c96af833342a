"""Managed tables in a tree: taken out of it, with what their columns are called and which of their rows matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from sqlglot import exp

from catalog_app.pruning.predicates import ANYTHING, Predicate, without_null_tests
from lakeui.common.errors import ForbiddenStatement, InvalidValue, NotSupported
from lakeui.sql.allowlist import PLACEHOLDER_PREFIX
from lakeui.sql.change_tables import changes_of, is_change_table
from lakeui.sql.constants import constant_of
from lakeui.sql.names import table_name
from lakeui.sql.statements import NamedInView, TableName, TableReference
from lakeui.sql.terms import predicate_of


@dataclass(frozen=True, slots=True)
class Mention:
    """One table in a query tree: its node, whose name is already the placeholder, and what columns may call it."""

    node: exp.Table
    reference: TableReference
    alias: str
    is_named_here: bool
    owner: exp.Expr | None


def moving_times_refuse(tree: exp.Expr) -> None:
    """Raise NotSupported where the past of a table depends on when the text is read: it is kept and read again."""
    for clause in tree.find_all(exp.Version):
        if not _is_written(clause.expression):
            raise NotSupported(
                "A view keeps no time that depends on when it is read: each look would show another version.",
                remedy="Write the time in quotes, or make a tag and read db.`t@tag`.",
            )


def take_tables(tree: exp.Expr, *, first: int = 0) -> list[Mention]:
    """Put a placeholder in the place of every managed table, under an alias by which its columns can be called. Columns
    that named their table by its database name it by that. Placeholders are numbered from ``first``.
    """
    mentions = _with_placeholders(tree, first)
    _rename_columns(tree, mentions)
    return mentions


def wheres(mentions: Sequence[Mention]) -> dict[str, Predicate]:
    """By placeholder what is true of every row of that mention that can matter."""
    found = {mention.reference.placeholder: _where(mention) for mention in mentions}
    return {placeholder: predicate for placeholder, predicate in found.items() if predicate != ANYTHING}


def _with_placeholders(tree: exp.Expr, first: int) -> list[Mention]:
    mentions: list[Mention] = []
    now = datetime.now(UTC)
    for node in list(tree.find_all(exp.Table, bfs=False)):
        if is_change_table(node.this) and not (node.args.get("db") or node.args.get("version")):
            mentions.append(_take_changes(node, f"{PLACEHOLDER_PREFIX}{first + len(mentions)}"))
            continue
        if isinstance(node.this, exp.Anonymous):
            if node.args.get("db") or node.args.get("version"):
                raise ForbiddenStatement("A table function has a plain name.", remedy="Leave out what is before it.")
            continue
        if not node.args.get("db") and not node.args.get("version") and _is_common_table(node):
            continue
        mentions.append(_take_table(node, f"{PLACEHOLDER_PREFIX}{first + len(mentions)}", now))
    return _with_clear_aliases(mentions)


def _take_table(node: exp.Table, placeholder: str, now: datetime) -> Mention:
    reference = TableReference(placeholder, _name_of(node, now))
    return _taken(node, reference, reference.name.table)


def _take_changes(node: exp.Table, placeholder: str) -> Mention:
    function = node.this.name.lower()
    return _taken(node, TableReference(placeholder, *changes_of(node.this)), function)


def _taken(node: exp.Table, reference: TableReference, called: str) -> Mention:
    alias, owner = node.alias, node.find_ancestor(exp.Select)
    for part in ("db", "catalog", "version"):
        node.set(part, None)
    node.set("this", exp.to_identifier(reference.placeholder, quoted=True))
    # Columns may begin with a table's database, not with the arguments of a table of changes.
    is_named_here = not alias and reference.changes is None
    mention = Mention(node, reference, alias or called, is_named_here, owner)
    if not alias:
        _set_alias(node, called)
    return mention


def _set_alias(node: exp.Table, alias: str) -> None:
    columns = node.args["alias"].args.get("columns") if node.args.get("alias") else None
    node.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True), columns=columns))


def _with_clear_aliases(mentions: list[Mention]) -> list[Mention]:
    """Tables of one name from two databases in one SELECT differ by their placeholders."""
    clear: list[Mention] = []
    called: dict[tuple[int, str], set[tuple[str, ...]]] = {}
    for mention in mentions:
        if mention.is_named_here:
            called.setdefault(_call(mention), set()).add(_folded(mention.reference.name))
    for mention in mentions:
        clashes = mention.is_named_here and len(called[_call(mention)]) > 1
        unique = f"{mention.reference.placeholder}_{mention.alias}" if clashes else mention.alias
        if clashes:
            _set_alias(mention.node, unique)
        clear.append(replace(mention, alias=unique))
    return clear


def _call(mention: Mention) -> tuple[int, str]:
    """The SELECT that the table stands in, and what its columns call it there."""
    return id(mention.owner), mention.alias.casefold()


def _folded(name: TableName) -> tuple[str, ...]:
    return tuple((part or "").casefold() for part in (name.catalog, name.database, name.table, name.at))


def _is_common_table(node: exp.Table) -> bool:
    """Whether a bare name is that of a common table expression which can be seen from here."""
    below: exp.Expr = node
    above = node.parent
    while above is not None:
        if isinstance(above, exp.With):
            index = next(i for i, item in enumerate(above.expressions) if item is below)
            seen = above.expressions[: index + 1] if above.args.get("recursive") else above.expressions[:index]
        else:
            clause = above.args.get("with_")
            seen = clause.expressions if clause is not None and clause is not below else []
        if any(item.alias.casefold() == node.name.casefold() for item in seen):
            return True
        below, above = above, above.parent
    return False


def _name_of(node: exp.Table, now: datetime) -> TableName:
    parts = [part for part in (node.args.get("catalog"), node.args.get("db"), node.this) if part is not None]
    if not all(isinstance(part, exp.Identifier) for part in parts):
        raise ForbiddenStatement("A table's name has at most three parts.", remedy="Write catalog.db.table.")
    version, timestamp = _time_of(node.args.get("version"), now)
    return table_name(tuple(part.name for part in parts), version=version, timestamp=timestamp)


def _is_written(value: exp.Expr) -> bool:
    """Whether it is a literal, or one with its type."""
    return isinstance(value.this if isinstance(value, exp.Cast) else value, exp.Literal)


def _time_of(clause: exp.Expr | None, now: datetime) -> tuple[int | None, str | None]:
    """The version or the time. All times of a query that depend on the present one depend on ``now``."""
    if clause is None:
        return None, None
    value = clause.expression
    if clause.text("kind") == "AS OF":
        is_version = clause.text("this") == "VERSION"
        if not is_version and not _is_written(value):
            return None, _folded_time(value, now)
        value = value.this if isinstance(value, exp.Cast) else value
        if isinstance(value, exp.Literal) and is_version and value.name.isdecimal():
            return int(value.name), None
        if isinstance(value, exp.Literal) and not is_version and value.is_string:
            return None, value.name
    raise InvalidValue(
        "A table's past is asked for by a number or a time in quotes.",
        remedy="Write VERSION AS OF 12 or TIMESTAMP AS OF '2026-01-31 10:00:00'; a tag or branch is db.`t@tag`.",
    )


def _folded_time(value: exp.Expr, now: datetime) -> str:
    """The one time that an expression without columns comes to; of days, the beginning in UTC."""
    constant = constant_of(value)
    if constant is None or constant.type not in ("date", "timestamp", "timestamp_ntz") or constant.low != constant.high:
        raise InvalidValue(
            "TIMESTAMP AS OF takes a time in quotes, or one that is counted from now in days or shorter units.",
            remedy="Write current_timestamp() - INTERVAL 1 DAY, date_sub(current_date(), 1), or '2026-01-31 10:00:00'.",
        )
    start = datetime(1970, 1, 1, tzinfo=UTC)
    if constant.is_from_now:
        start = now.replace(hour=0, minute=0, second=0, microsecond=0) if constant.type == "date" else now
    try:
        return (start + timedelta(microseconds=constant.low)).isoformat()
    except OverflowError:
        raise InvalidValue("The time lies outside of the years 1 to 9999.", remedy="Count fewer days.") from None


def names_in_view(tree: exp.Expr, mentions: Sequence[Mention]) -> tuple[NamedInView, ...]:
    """The tables that a view's query names, without tables of changes. A column without a qualifier may be of each of
    them. So may one behind a qualifier that is no table's, which is that of a subquery or a column with fields.
    """
    aliases = {mention.alias.casefold() for mention in mentions}
    anywhere: set[str] = set()
    qualified: dict[str, set[str]] = {}
    for column in tree.find_all(exp.Column):
        qualifier = column.table.casefold()
        if qualifier in aliases:
            qualified.setdefault(qualifier, set()).add(column.name.casefold())
        else:
            anywhere |= {column.name.casefold(), qualifier} - {""}
    joined = [name for join in tree.find_all(exp.Join) for name in join.args.get("using") or ()]
    left_out = [name for star in tree.find_all(exp.Star) for name in star.find_all(exp.Identifier)]
    anywhere |= {name.name.casefold() for name in (*joined, *left_out)}
    return tuple(
        NamedInView(mention.reference.name, tuple(sorted(anywhere | qualified.get(mention.alias.casefold(), set()))))
        for mention in mentions
        if mention.reference.changes is None
    )


# -- columns that name their table by database ------------------------------------------------------------------------


def _rename_columns(tree: exp.Expr, mentions: list[Mention]) -> None:
    """``db.t.column`` becomes ``alias.column``: behind its placeholder a table has no database."""
    by_owner: dict[int, list[Mention]] = {}
    for mention in mentions:
        if mention.is_named_here:
            by_owner.setdefault(id(mention.owner), []).append(mention)
    for column in list(tree.find_all(exp.Column)):
        if not column.args.get("db"):
            continue
        select = column.find_ancestor(exp.Select)
        while select is not None:
            if any(_shorten(column, m.reference.name, m.alias) for m in by_owner.get(id(select), [])):
                break
            select = select.find_ancestor(exp.Select)


def _shorten(column: exp.Column, name: TableName, alias: str) -> bool:
    """Put the alias for the leading database (and catalog) of a column of that table; whether it was one."""
    parts = [part for part in (column.args.get(key) for key in ("catalog", "db", "table", "this")) if part is not None]
    full = [name.database, name.table] if name.catalog is None else [name.catalog, name.database, name.table]
    any_catalog = [parts[0].name, *full] if name.catalog is None else full
    for prefix in (full, full[-2:], any_catalog):
        leading = [part.name.casefold() for part in parts[: len(prefix)]]
        if len(parts) > len(prefix) and leading == [part.casefold() for part in prefix]:
            rest = parts[len(prefix) :]
            short: exp.Expr = exp.Column(this=rest[0].copy(), table=exp.to_identifier(alias, quoted=True))
            for part in rest[1:]:
                short = exp.Dot(this=short, expression=part.copy())
            column.replace(short)
            return True
    return False


def localise(tree: exp.Expr, tables: Sequence[tuple[TableName, str | None]]) -> exp.Expr:
    """Columns of these tables lose the database: behind its name a table without alias goes by that alone."""
    unnamed = [name for name, alias in tables if alias is None]
    if not unnamed:
        return tree
    holder = exp.Paren(this=tree)  # A tree that is one column can only be replaced inside of something.
    for column in list(holder.find_all(exp.Column)):
        if column.args.get("db"):
            any(_shorten(column, name, name.table) for name in unnamed)
    whole: exp.Expr = holder.this
    whole.pop()
    return whole


# -- pruning ----------------------------------------------------------------------------------------------------------


def _where(mention: Mention) -> Predicate:
    """What the WHERE of the SELECT that the table stands in directly says of its columns."""
    select, node = mention.owner, mention.node
    parent = node.parent
    if not isinstance(select, exp.Select) or not isinstance(parent, exp.From | exp.Join) or parent.parent is not select:
        return ANYTHING
    where = select.args.get("where")
    if where is None or node.args.get("sample") or node.args.get("pivots") or node.args["alias"].args.get("columns"):
        return ANYTHING
    joins, laterals = select.args.get("joins") or [], select.args.get("laterals") or []
    is_alone = not joins and not laterals
    own = mention.alias.casefold()

    def belongs(column: exp.Column) -> bool:
        qualifier = column.table.casefold()
        return not column.args.get("db") and (qualifier == own or (is_alone and not qualifier))

    predicate = predicate_of(where.this, belongs)
    # Behind an outer join a missing row shows as nulls: a file must not be left out for having none.
    return predicate if is_alone else without_null_tests(predicate)
