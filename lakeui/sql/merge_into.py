"""The reader of MERGE INTO: its source, what matches, and the clauses that act on it (rows §1)."""

from __future__ import annotations

from sqlglot import exp

from catalog_app.domain.quoting import quote_name
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.allowlist import PLACEHOLDER_PREFIX
from lakeui.sql.common_tables import sees_common_table
from lakeui.sql.cursor import Cursor
from lakeui.sql.dialect import write
from lakeui.sql.lexer import Kind
from lakeui.sql.merge_clauses import read_clauses, read_span
from lakeui.sql.merge_scope import MergeScope, MergeSource, sides_of
from lakeui.sql.merge_words import accept_join_columns, accept_returning
from lakeui.sql.names import read_present_table, read_table
from lakeui.sql.query import build_query
from lakeui.sql.semi_joins import conjuncts
from lakeui.sql.source_values import SourceValues
from lakeui.sql.terms import predicate_of


def merge_into(cursor: Cursor) -> s.MergeInto:
    """``MERGE INTO t USING …``; the cursor stands at the target."""
    return _merge(cursor, with_schema_evolution=False)


def merge_with_schema_evolution(cursor: Cursor) -> s.MergeInto:
    return _merge(cursor, with_schema_evolution=True)


def _merge(cursor: Cursor, *, with_schema_evolution: bool) -> s.MergeInto:
    table = read_present_table(cursor)
    alias = _accept_alias(cursor, "USING")
    cursor.expect("USING")
    source = _source(cursor)
    values = SourceValues(len(source.query.tables), cursor.common, sides_of(table, alias, source))
    scope = MergeScope(table, alias, source, values)
    _refuse_one_name(scope)
    joined = accept_join_columns(cursor, scope.target_name, scope.source_name)
    if joined is None:
        cursor.expect("ON")
    on = scope.expression(joined or read_span(cursor), is_condition=True)
    clauses = read_clauses(cursor, scope)
    returning = accept_returning(cursor)
    if values.are_there and with_schema_evolution:
        raise NotSupported(
            "Values of MERGE WITH SCHEMA EVOLUTION take no subqueries.",
            remedy="Join it in the source, USING (SELECT ..) AS s, and use the column.",
        )
    query, columns = source.query, source.columns
    if values.are_there:
        query, columns = values.source(query, scope.source_name, columns), None
    parts = conjuncts(on)
    keys = [key for key in (_key(conjunct, scope) for conjunct in parts) if key is not None]
    return s.MergeInto(
        table,
        query,
        s.Condition(write(on), predicate_of(on, scope.owns_target)),
        clauses,
        scope.target_name,
        scope.source_name,
        columns,
        tuple(keys),
        len(keys) == len(parts),
        with_schema_evolution,
        _with_present_keys(on, scope) if any(key.null_safe for key in keys) else "",
        returning,
    )


def _refuse_one_name(scope: MergeScope) -> None:
    if scope.source_name is not None and scope.source_name.casefold() == scope.target_name.casefold():
        raise InvalidValue(
            f"Source and target are both called {scope.target_name}.", remedy="Give one of them an alias: USING t AS s."
        )


# -- the source -------------------------------------------------------------------------------------------------------


def _source(cursor: Cursor) -> MergeSource:
    if cursor.sees("("):
        cursor.expect("(")
        query = build_query(cursor.span(), cursor.common)
        cursor.expect(")")
        alias, columns = _alias_with_columns(cursor)
        return MergeSource(query, None, alias, columns)
    for word in ("VALUES", "TABLE", "SELECT", "WITH"):
        if cursor.sees(word):
            cursor.fail(f"A query stands in parentheses, as in USING ({word} ..) AS s; it begins")
    if sees_common_table(cursor):
        common = cursor.name()
        query = build_query(f"SELECT * FROM {quote_name(common)}", cursor.common)
        alias, columns = _alias_with_columns(cursor)
        return MergeSource(query, None, alias or common, columns)
    name = _past(cursor, read_table(cursor))
    placeholder = f"{PLACEHOLDER_PREFIX}0"
    query = s.Query(f"SELECT * FROM {quote_name(placeholder)}", (s.TableReference(placeholder, name),))
    alias, columns = _alias_with_columns(cursor)
    return MergeSource(query, name, alias, columns)


def _past(cursor: Cursor, name: s.TableName) -> s.TableName:
    """The table as of the version or time that comes next, if one does."""
    start = cursor.index
    cursor.accept("FOR")
    if cursor.accept_phrase("VERSION AS OF", "SYSTEM_VERSION AS OF"):
        return s.TableName(name.table, name.database, name.catalog, name.at, version=cursor.integer("a version"))
    if cursor.accept_phrase("TIMESTAMP AS OF", "SYSTEM_TIME AS OF"):
        moment = cursor.string("a time in quotes")
        return s.TableName(name.table, name.database, name.catalog, name.at, timestamp=moment)
    cursor.index = start
    return name


def _alias_with_columns(cursor: Cursor) -> tuple[str | None, tuple[str, ...] | None]:
    alias = _accept_alias(cursor, "ON")
    columns = cursor.names_in_parentheses() if alias is not None and cursor.sees("(") else None
    return alias, columns


def _accept_alias(cursor: Cursor, following: str) -> str | None:
    if cursor.accept("AS") or cursor.sees_kind(Kind.QUOTED):
        return cursor.name("an alias")
    if cursor.sees_kind(Kind.WORD) and not cursor.sees(following) and not cursor.sees("USING", "("):
        return cursor.name("an alias")
    return None


# -- what matches -----------------------------------------------------------------------------------------------------


def _key(conjunct: exp.Expr, scope: MergeScope) -> s.MergeKey | None:
    """The conjunct if it sets a bare column of the target equal to what only the source's columns make up."""
    if not isinstance(conjunct, exp.EQ | exp.NullSafeEQ):
        return None
    for side, other in ((conjunct.this, conjunct.expression), (conjunct.expression, conjunct.this)):
        column, columns = side.unnest(), list(other.find_all(exp.Column))
        is_bare = isinstance(column, exp.Column) and scope.owns_target(column)
        if is_bare and columns and all(scope.owns_source(item) for item in columns):
            return s.MergeKey(column.name, write(other), isinstance(conjunct, exp.NullSafeEQ))
    return None


def _with_present_keys(on: exp.Expr, scope: MergeScope) -> str:
    """What matches, if no key of the source is NULL."""
    holder = exp.Paren(this=on.copy())
    for conjunct in conjuncts(holder.this):
        if isinstance(conjunct, exp.NullSafeEQ) and _key(conjunct, scope) is not None:
            conjunct.replace(exp.EQ(this=conjunct.this, expression=conjunct.expression))
    return write(holder.this)
