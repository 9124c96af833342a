"""Queries, conditions and expressions: read, checked, tables taken out, written again for Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeui.common.errors import InvalidValue, LakeError, NotSupported, SyntaxProblem
from lakeui.sql.allowlist import check, is_repeatable
from lakeui.sql.common_tables import with_common_tables
from lakeui.sql.dialect import read_expression, read_query, tokens, write
from lakeui.sql.growth import growth_named
from lakeui.sql.mentions import Mention, localise, moving_times_refuse, names_in_view, take_tables, wheres
from lakeui.sql.metadata_columns import with_metadata_columns
from lakeui.sql.one_row import refuse_many_rows
from lakeui.sql.session_functions import functions_refused
from lakeui.sql.session_values import for_readers, session_values_given, session_values_refused
from lakeui.sql.statements import Condition, NamedInView, Query, TableName
from lakeui.sql.terms import predicate_of

DEFAULT = "DEFAULT"
_LEFT_OUT = "Leave the column out: INSERT INTO t (the other columns) SELECT .. gives it its default."
_ROOTS = (exp.Select, exp.SetOperation, exp.Values, exp.Subquery)


def build_query(text: str, common: exp.With | None = None) -> Query:
    """The query of a text (``VALUES`` included), which may name the common tables."""
    return _query_of(with_common_tables(read_query(text), common))


def build_view(text: str) -> tuple[Query, tuple[NamedInView, ...]]:
    """The query of a view, and what it names."""
    with functions_refused("a view of a database is read in other sessions."):
        tree = read_query(text)
    moving_times_refuse(tree)
    query, mentions = _taken(tree)
    return query, names_in_view(tree, mentions)


def build_values(text: str, common: exp.With | None = None) -> tuple[Query | None, tuple[tuple[str, ...], ...] | None]:
    """A query and, where it is a plain VALUES list, its rows as texts. No query where a value is DEFAULT."""
    tree = with_common_tables(read_query(text), common)
    if not isinstance(tree, exp.Values) or tree.args.get("alias"):
        _refuse_selected_default(tree)
        return _query_of(tree), None
    check(tree)
    has_default = any(is_default(value) for row in tree.expressions for value in row.expressions)
    mentions = tree.find(exp.Table) is not None
    if mentions and has_default:
        raise NotSupported("DEFAULT beside a subquery in VALUES is not supported.", remedy=_LEFT_OUT)
    if mentions:
        return _query_of(tree), None
    rows = tuple(tuple(DEFAULT if is_default(v) else write(v) for v in row.expressions) for row in tree.expressions)
    if has_default:
        return None, rows
    return Query("VALUES " + ", ".join(f"({', '.join(row)})" for row in rows)), rows


def _refuse_selected_default(tree: exp.Expr) -> None:
    """Refuse DEFAULT as a column of the query: a name in backquotes is one."""
    if isinstance(tree, exp.SetOperation):
        _refuse_selected_default(tree.this)
        _refuse_selected_default(tree.expression)
    elif isinstance(tree, exp.Subquery):
        _refuse_selected_default(tree.this)
    elif isinstance(tree, exp.Select) and any(is_default(column.unalias()) for column in tree.expressions):
        raise NotSupported("DEFAULT as a column of SELECT is not supported.", remedy=_LEFT_OUT)


def build_condition(text: str, target: TableName, alias: str | None) -> Condition:
    """A condition over the columns of one table, without subqueries."""
    tree = read_expression(text)
    check(tree, deterministic=True, allow_queries=False)
    refuse_many_rows(tree)
    tree = localise(tree, [(target, alias)])
    own = (alias or target.table).casefold()
    return Condition(
        write(tree), predicate_of(tree, lambda column: column.table.casefold() in ("", own) and not column.db)
    )


def condition_columns(condition: Condition) -> set[str]:
    """The names, folded, of all columns that it looks at."""
    return {column.name.casefold() for column in read_expression(condition.text).find_all(exp.Column)}


def columns_named(text: str) -> set[str]:
    """The columns that an expression names, with what stands before them; none where it cannot be read."""
    try:
        tree = read_expression(text)
    except LakeError:
        return set()
    return {".".join(part.name for part in column.parts) for column in tree.find_all(exp.Column)}


def build_check(text: str, target: TableName, what: str = "A CHECK") -> str:
    """The condition of a CHECK constraint, or another expression over the columns of one table that gives the same for
    a row at any time.
    """
    with session_values_refused("it answers otherwise in each session."):
        tree = read_expression(text)
    check(tree, deterministic=True, allow_queries=False)
    refuse_many_rows(tree)
    if not is_repeatable(tree):
        raise InvalidValue(
            f"{what} cannot use the time of the statement: a row that fits today would not fit tomorrow.",
            remedy="Compare with a constant or with another column.",
        )
    return write(localise(tree, [(target, None)]))


def build_restriction(text: str, target: TableName, user: str) -> str:
    """A filter of rows or a mask of a column: an expression over the columns of one table. ``user`` stands in the
    place of ``current_user()``.
    """
    with session_values_given(for_readers(user)):
        tree = read_expression(text)
    check(tree, deterministic=True, allow_queries=False)
    refuse_many_rows(tree)
    return write(localise(tree, [(target, None)]))


def build_constant(text: str, what: str) -> str:
    """An expression that reads no column and is the same for every row, such as a column's default."""
    with session_values_refused("it answers otherwise in each session."):
        tree = read_expression(text)
    check(tree, deterministic=True, allow_queries=False)
    column = tree.find(exp.Column)
    if column is not None:
        raise InvalidValue(
            f"{what} cannot use the column {column.name}.", remedy="Write a constant; strings take single quotes."
        )
    return write(tree)


def with_braces(query: Query) -> str:
    """The text for ``spark.sql(text, **tables)``: placeholders in braces, all other braces doubled."""
    return _with_put(query, {item.placeholder: f"{{{item.placeholder}}}" for item in query.tables}, _doubled)


def with_names(query: Query, names: Mapping[str, str]) -> str:
    """The text with a name in the place of each placeholder."""
    return _with_put(query, names, str)


def _with_put(query: Query, put: Mapping[str, str], between: Callable[[str], str]) -> str:
    parts: list[str] = []
    done = 0
    for token in tokens(query.text):
        if token.token_type == TokenType.IDENTIFIER and token.text in put:
            parts += [between(query.text[done : token.start]), put[token.text]]
            done = token.end + 1
    return "".join([*parts, between(query.text[done:])])


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def is_default(node: exp.Expr) -> bool:
    if isinstance(node, exp.Column):
        return not node.table and isinstance(node.this, exp.Identifier) and _is_bare_default(node.this)
    return isinstance(node, exp.Var) and node.name.upper() == DEFAULT


def _is_bare_default(name: exp.Identifier) -> bool:
    return not name.quoted and name.name.upper() == DEFAULT


def _query_of(tree: exp.Expr) -> Query:
    return _taken(tree)[0]


def _taken(tree: exp.Expr) -> tuple[Query, list[Mention]]:
    check(tree)
    if not isinstance(tree, _ROOTS):
        raise SyntaxProblem(
            "This is not a query.", remedy="Start it with SELECT, WITH or VALUES.", line=1, column=1, near=""
        )
    for select in tree.find_all(exp.Select):
        growth_named(select)
    mentions = take_tables(tree)
    text, where = write(tree), wheres(mentions)
    asked = with_metadata_columns(tree, mentions)
    tables = tuple(replace(item.reference, asked=asked.get(item.reference.placeholder, ())) for item in mentions)
    return Query(text, tables, where, write(tree) if asked else ""), mentions
