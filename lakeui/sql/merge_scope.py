"""What the expressions of MERGE INTO may name: its target and its source."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from lakeui.common.errors import InvalidValue
from lakeui.sql import statements as s
from lakeui.sql.allowlist import check
from lakeui.sql.dialect import read_expression
from lakeui.sql.mentions import localise
from lakeui.sql.one_row import refuse_many_rows
from lakeui.sql.query import is_default
from lakeui.sql.source_values import SourceValues, condition_refused, has_subquery


@dataclass(frozen=True, slots=True)
class MergeSource:
    """``name`` is None where the source is a query."""

    query: s.Query
    name: s.TableName | None
    alias: str | None
    columns: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class MergeScope:
    """What expressions may call the two sides; a query without alias cannot be called at all."""

    target: s.TableName
    target_alias: str | None
    source: MergeSource
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
        tree = localise(tree, sides_of(self.target, self.target_alias, self.source))
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


def sides_of(target: s.TableName, alias: str | None, source: MergeSource) -> list[tuple[s.TableName, str | None]]:
    named = [(target, alias)]
    return named if source.name is None else [*named, (source.name, source.alias)]
