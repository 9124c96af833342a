"""Columns, redone on the naive model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.stateful.model import Column, Table, widens
from tests.stateful.redo import Redo
from tests.stateful.sides import Net


class Columns(Redo):
    """The source's column operations on the destination's columns, by column id (A6.1 and the extensions)."""

    def redone(self, here: Table, there: Table) -> Table:
        nets = {
            key[1:]: net for (thing, key), net in self.mine.nets.items() if thing == self.thing and key[0] == "column"
        }
        if not nets:
            return here
        dropped = [c for c, attribute in nets if attribute == "exists" and nets[c, attribute].after is None]
        result = replace(here, columns=tuple(c for c in here.columns if not set(c.ids) & set(dropped)))
        added = [c for c, attribute in nets if attribute == "exists" and nets[c, attribute].after is not None]
        for (column_id, attribute), net in nets.items():
            if attribute != "exists" and column_id not in (*dropped, *added) and there.column(column_id):
                result = self._altered(result, column_id, attribute, net)
        for column_id in added:
            column = there.column(column_id)
            if column is not None:
                result = self._added(result, column)
        names = [column.name for column in result.columns]
        if len(set(names)) < len(names):
            self.conflict("COLUMN_NAME_TAKEN")
        return result

    def _altered(self, table: Table, column_id: int, attribute: str, net: Net) -> Table:
        column = table.column(column_id)
        if column is None:
            self.conflict("COLUMN_MISSING")
            return table
        if attribute == "initial":
            return _with_column(table, self._filled(column, net.after))
        is_replaced = column.type == net.before and self._replaces_rows()
        if attribute == "type" and not widens(column.type, net.after) and not is_replaced:
            self.conflict("COLUMN_TYPE_NARROWING")
        return _with_column(table, replace(column, **{attribute: net.after}))

    def _added(self, table: Table, column: Column) -> Table:
        """One that is there already, because both brought it back, becomes as the source has it."""
        same = table.column(column.id) or next((item for item in table.columns if item.name == column.name), None)
        is_one = same is not None and (not set(column.ids).isdisjoint(same.ids) or self._is_theirs(same))
        if same is None or not is_one:
            return replace(table, columns=(*table.columns, column))
        if not widens(same.type, column.type):
            self.conflict("COLUMN_TYPE_NARROWING")
        aliases = tuple(dict.fromkeys(i for i in (*same.aliases, *column.ids) if i != same.id))
        stated = {"name": column.name, "type": column.type, "nullable": column.nullable, "default": column.default}
        merged = replace(same, **stated, aliases=aliases)
        return _with_column(table, self._filled(merged, column.initial))

    def _filled(self, column: Column, initial: Any) -> Column:
        """Older rows that read as a value here keep it, unless the source's take the place of all."""
        return replace(column, initial=initial) if column.initial is None or self._replaces_rows() else column

    def _replaces_rows(self) -> bool:
        return any(work.empties_all for work in self.mine.works(self.thing))

    def _is_theirs(self, column: Column) -> bool:
        return any(self.theirs.net(self.thing, "column", i, "exists") is not None for i in column.ids)


def _with_column(table: Table, changed: Column) -> Table:
    return replace(table, columns=tuple(changed if c.id == changed.id else c for c in table.columns))
