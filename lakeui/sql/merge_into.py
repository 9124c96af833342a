"""The reader of MERGE INTO: its source, what matches, and the clauses that act on it (rows §1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from catalog_app.domain.quoting import quote_name
from catalog_app.pruning.predicates import ANYTHING
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.allowlist import PLACEHOLDER_PREFIX, check
from lakeui.sql.common_tables import sees_common_table
from lakeui.sql.cursor import Cursor
from lakeui.sql.dialect import read_expression, write
from lakeui.sql.lexer import Kind
from lakeui.sql.mentions import localise
from lakeui.sql.merge_words import accept_join_columns, accept_returning
from lakeui.sql.names import owned_path, read_path, read_present_table, read_table, refuse_overlaps, without_owner
from lakeui.sql.one_row import refuse_many_rows
from lakeui.sql.query import DEFAULT, build_query, is_default
from lakeui.sql.source_values import SourceValues, condition_refused, has_subquery
from lakeui.sql.terms import predicate_of

MOST_CLAUSES = 100


@dataclass(frozen=True, slots=True)
class _Source:
    """``name`` is None where the source is a query."""

    query: s.Query
    name: s.TableName | None
    alias: str | None
    columns: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class _Scope:
    """What expressions may call the two sides; a query without alias cannot be called at all."""

    target: s.TableName
    target_alias: str | None
    source: _Source
    values: SourceValues

    @property
    def target_name(self) -> str:
        return self.target_alias or self.target.table

    @property
    def source_name(self) -> str | None:
        return self.source.alias or (self.source.name.table if self.source.name is not None else None)

    def owns_target(self, column: exp.Column) -> bool:
        return not column.args.get("db") and column.table.casefold() == self.target_name.casefold()

    def owns_source(self, column: exp.Column) -> bool:
        own = self.source_name
        return not column.args.get("db") and own is not None and column.table.casefold() == own.casefold()

    def expression(self, text: str, *, is_condition: bool, family: s.MergeFamily | None = None) -> exp.Expr:
        """A checked expression over the two sides: no aggregates or windows; in conditions, no chance and no subquery.
        Those of values become columns of the source.

        What is NOT MATCHED BY SOURCE has a target row only: there every column becomes one of the target's.
        """
        tree = read_expression(text)
        if is_default(tree):
            return tree
        if has_subquery(tree):
            if is_condition:
                raise condition_refused()
            has_source = family is not s.MergeFamily.NOT_MATCHED_BY_SOURCE
            tree = self.values.taken(tree, target=self.target_name, source=self.source_name, has_source=has_source)
        else:
            check(tree, deterministic=is_condition, allow_queries=False)
        refuse_many_rows(tree)
        tree = localise(tree, _sides(self.target, self.target_alias, self.source))
        return self._of_target(tree) if family is s.MergeFamily.NOT_MATCHED_BY_SOURCE else tree

    def _of_target(self, tree: exp.Expr) -> exp.Expr:
        holder = exp.Paren(this=tree)
        for column in list(holder.find_all(exp.Column)):
            if self.owns_source(column):
                raise InvalidValue(
                    f"{column.sql()} is of the source, and WHEN NOT MATCHED BY SOURCE has no source row.",
                    remedy=f"Use columns of {self.target_name} only.",
                    column=column.name,
                )
            if not column.table:
                column.set("table", exp.to_identifier(self.target_name, quoted=True))
        whole: exp.Expr = holder.this
        whole.pop()
        return whole


def _sides(target: s.TableName, alias: str | None, source: _Source) -> list[tuple[s.TableName, str | None]]:
    named = [(target, alias)]
    return named if source.name is None else [*named, (source.name, source.alias)]


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
    values = SourceValues(len(source.query.tables), cursor.common, _sides(table, alias, source))
    scope = _Scope(table, alias, source, values)
    if scope.source_name is not None and scope.source_name.casefold() == scope.target_name.casefold():
        raise InvalidValue(
            f"Source and target are both called {scope.target_name}.", remedy="Give one of them an alias: USING t AS s."
        )
    joined = accept_join_columns(cursor, scope.target_name, scope.source_name)
    if joined is None:
        cursor.expect("ON")
    on = scope.expression(joined or _span(cursor), is_condition=True)
    clauses = _clauses(cursor, scope)
    returning = accept_returning(cursor)
    query, columns = source.query, source.columns
    if values.are_there:
        if with_schema_evolution:
            raise NotSupported(
                "Values of MERGE WITH SCHEMA EVOLUTION take no subqueries.",
                remedy="Join it in the source, USING (SELECT ..) AS s, and use the column.",
            )
        query, columns = values.source(query, scope.source_name, columns), None
    conjuncts = _conjuncts(on)
    keys = [key for key in (_key(conjunct, scope) for conjunct in conjuncts) if key is not None]
    return s.MergeInto(
        table,
        query,
        s.Condition(write(on), predicate_of(on, scope.owns_target)),
        clauses,
        scope.target_name,
        scope.source_name,
        columns,
        tuple(keys),
        len(keys) == len(conjuncts),
        with_schema_evolution,
        _with_present_keys(on, scope) if any(key.null_safe for key in keys) else "",
        returning,
    )


# -- the source -------------------------------------------------------------------------------------------------------


def _source(cursor: Cursor) -> _Source:
    if cursor.sees("("):
        cursor.expect("(")
        query = build_query(cursor.span(), cursor.common)
        cursor.expect(")")
        alias, columns = _alias_with_columns(cursor)
        return _Source(query, None, alias, columns)
    for word in ("VALUES", "TABLE", "SELECT", "WITH"):
        if cursor.sees(word):
            cursor.fail(f"A query stands in parentheses, as in USING ({word} ..) AS s; it begins")
    if sees_common_table(cursor):
        common = cursor.name()
        query = build_query(f"SELECT * FROM {quote_name(common)}", cursor.common)
        alias, columns = _alias_with_columns(cursor)
        return _Source(query, None, alias or common, columns)
    name = _past(cursor, read_table(cursor))
    placeholder = f"{PLACEHOLDER_PREFIX}0"
    query = s.Query(f"SELECT * FROM {quote_name(placeholder)}", (s.TableReference(placeholder, name),))
    alias, columns = _alias_with_columns(cursor)
    return _Source(query, name, alias, columns)


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


def _conjuncts(on: exp.Expr) -> list[exp.Expr]:
    whole = on.unnest()
    if not isinstance(whole, exp.And):
        return [whole]
    return [conjunct for part in whole.flatten() for conjunct in _conjuncts(part)]


def _key(conjunct: exp.Expr, scope: _Scope) -> s.MergeKey | None:
    """The conjunct if it sets a bare column of the target equal to what only the source's columns make up."""
    if not isinstance(conjunct, exp.EQ | exp.NullSafeEQ):
        return None
    for side, other in ((conjunct.this, conjunct.expression), (conjunct.expression, conjunct.this)):
        column, columns = side.unnest(), list(other.find_all(exp.Column))
        is_bare = isinstance(column, exp.Column) and scope.owns_target(column)
        if is_bare and columns and all(scope.owns_source(item) for item in columns):
            return s.MergeKey(column.name, write(other), isinstance(conjunct, exp.NullSafeEQ))
    return None


def _with_present_keys(on: exp.Expr, scope: _Scope) -> str:
    """What matches, if no key of the source is NULL."""
    holder = exp.Paren(this=on.copy())
    for conjunct in _conjuncts(holder.this):
        if isinstance(conjunct, exp.NullSafeEQ) and _key(conjunct, scope) is not None:
            conjunct.replace(exp.EQ(this=conjunct.this, expression=conjunct.expression))
    return write(holder.this)


# -- clauses ----------------------------------------------------------------------------------------------------------


def _clauses(cursor: Cursor, scope: _Scope) -> tuple[s.MergeClause, ...]:
    clauses: list[s.MergeClause] = []
    while cursor.sees("WHEN"):
        start = cursor.index
        clause = _clause(cursor, scope)
        earlier = [item for item in clauses if item.family is clause.family]
        if earlier and earlier[-1].condition is None:
            cursor.index = start
            cursor.fail(f"Only the last clause of WHEN {clause.family.value.upper()} may lack a condition; another is")
        clauses.append(clause)
        if len(clauses) > MOST_CLAUSES:
            raise InvalidValue(
                f"The statement has more than {MOST_CLAUSES} WHEN clauses.",
                remedy="Put what they decide into a column of the source.",
                field="statement",
                nearest=None,
            )
    if not clauses:
        cursor.fail("Expected WHEN MATCHED or WHEN NOT MATCHED")
    return tuple(clauses)


def _clause(cursor: Cursor, scope: _Scope) -> s.MergeClause:
    start = cursor.words[cursor.index].start
    cursor.expect("WHEN")
    family = _family(cursor)
    condition = None
    if cursor.accept("AND"):
        tree = scope.expression(_span(cursor, "THEN"), is_condition=True, family=family)
        is_of_target = family is s.MergeFamily.NOT_MATCHED_BY_SOURCE
        condition = s.Condition(write(tree), predicate_of(tree, scope.owns_target) if is_of_target else ANYTHING)
    cursor.expect("THEN")
    return s.MergeClause(family, _action(cursor, scope, family), condition, start)


def _family(cursor: Cursor) -> s.MergeFamily:
    if cursor.accept("MATCHED"):
        return s.MergeFamily.MATCHED
    cursor.expect("NOT", "MATCHED")
    if cursor.accept("BY", "SOURCE"):
        return s.MergeFamily.NOT_MATCHED_BY_SOURCE
    if cursor.accept("BY"):
        cursor.expect("TARGET")
    return s.MergeFamily.NOT_MATCHED


def _action(cursor: Cursor, scope: _Scope, family: s.MergeFamily) -> s.MergeAction:
    if family is s.MergeFamily.NOT_MATCHED:
        cursor.expect("INSERT")
        return _insert(cursor, scope)
    if cursor.accept("DELETE"):
        return s.MergeDelete()
    if not cursor.accept("UPDATE"):
        cursor.fail("Expected UPDATE or DELETE")
    if cursor.sees("*") or cursor.sees("BY"):
        raise NotSupported("UPDATE takes its columns behind SET.", remedy="Write UPDATE SET *, which goes by name.")
    cursor.expect("SET")
    if cursor.sees("*"):
        if family is s.MergeFamily.NOT_MATCHED_BY_SOURCE:
            cursor.fail("There is no source row here to set all columns from;")
        cursor.expect("*")
        return s.MergeUpdate()
    return _update(cursor, scope, family)


def _update(cursor: Cursor, scope: _Scope, family: s.MergeFamily) -> s.MergeUpdate:
    found: list[tuple[tuple[str, ...], str]] = []
    owned: list[tuple[str, ...]] = []
    while True:
        written = read_path(cursor)
        path = _target_path(written, scope)
        owned += owned_path(written, path)
        cursor.expect("=")
        found.append((path, _value(_span(cursor, ","), scope, family)))
        if not cursor.accept(","):
            break
    refuse_overlaps([path for path, _ in found])
    columns = tuple((path[0], text) for path, text in found if len(path) == 1)
    return s.MergeUpdate(columns, tuple((path, text) for path, text in found if len(path) > 1), tuple(owned))


def _insert(cursor: Cursor, scope: _Scope) -> s.MergeInsert:
    if cursor.accept("*") or cursor.accept("BY", "NAME"):
        if cursor.sees("(") or cursor.sees("VALUES"):
            raise NotSupported(
                "INSERT BY NAME and INSERT * take every column from the source.",
                remedy="Write INSERT (columns) VALUES (values), without BY NAME, for some of them.",
            )
        return s.MergeInsert()
    if cursor.sees("BY") or cursor.sees("VALUES"):
        raise NotSupported(
            "INSERT goes by the names of columns here, not by their places.",
            remedy="Write INSERT *, INSERT BY NAME, or INSERT (columns) VALUES (values).",
        )
    columns = _in_parentheses(cursor, lambda: _target_column(cursor, scope))
    _refuse_twice(columns)
    cursor.expect("VALUES")
    start = cursor.index
    values = _in_parentheses(cursor, lambda: _value(_span(cursor, ","), scope, s.MergeFamily.NOT_MATCHED))
    if len(values) != len(columns):
        cursor.index = start
        cursor.fail(f"{len(columns)} columns and {len(values)} values are named; the values begin")
    return s.MergeInsert(tuple(zip(columns, values, strict=True)))


def _in_parentheses(cursor: Cursor, read: Callable[[], str]) -> list[str]:
    cursor.expect("(")
    found = [read()]
    while cursor.accept(","):
        found.append(read())
    cursor.expect(")")
    return found


def _target_path(path: tuple[str, ...], scope: _Scope) -> tuple[str, ...]:
    """The path of a column or of a field inside of one, without what the target is called."""
    owners = [[scope.target_name]]
    if scope.target_alias is None:
        owners.insert(0, [scope.target.database, scope.target.table])
    return without_owner(path, owners)


def _target_column(cursor: Cursor, scope: _Scope) -> str:
    """A column's name, alone or behind what the target is called."""
    path = _target_path(read_path(cursor), scope)
    if len(path) > 1:
        raise NotSupported(
            f"{'.'.join(path)} is no column of {scope.target_name}; a new row takes whole columns.",
            remedy="Give the whole column, for example with named_struct(…).",
        )
    return path[0]


def _value(text: str, scope: _Scope, family: s.MergeFamily) -> str:
    tree = scope.expression(text, is_condition=False, family=family)
    return DEFAULT if is_default(tree) else write(tree)


def _refuse_twice(columns: Sequence[str]) -> None:
    folded = [column.casefold() for column in columns]
    for column in columns:
        if folded.count(column.casefold()) > 1:
            raise InvalidValue(f"The column {column} is named twice.", remedy="Name it once.", column=column)


def _span(cursor: Cursor, *stops: str) -> str:
    """An expression's text, up to a stop or the next clause; inside of CASE … END, WHEN and THEN are its own."""
    first = cursor.index
    depth = 0
    while not cursor.at_end and not (depth == 0 and _ends_here(cursor, stops)):
        depth += _step(cursor)
        if depth < 0:
            break
        cursor.index += 1
    if cursor.index == first:
        cursor.fail("Expected an expression")
    return cursor.between(cursor.words[first].start, cursor.words[cursor.index - 1].end)


def _ends_here(cursor: Cursor, stops: Sequence[str]) -> bool:
    return cursor.sees("WHEN") or _returns_here(cursor) or any(cursor.sees(stop) for stop in stops)


def _returns_here(cursor: Cursor) -> bool:
    return cursor.sees("RETURNING") and cursor.words[cursor.index - 1].value != "."


def _step(cursor: Cursor) -> int:
    """How the next word changes the depth of nesting."""
    if any(cursor.sees(opening) for opening in ("(", "[", "{", "CASE")):
        return 1
    return -1 if any(cursor.sees(closing) for closing in (")", "]", "}", "END")) else 0
