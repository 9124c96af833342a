"""A lake and its naive model, kept in step: statements on both, comparisons, and what can be chosen."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from lakeui.frontdoor import StatementResult
from tests.e2e.lake import Lake
from tests.stateful.model import INTEGERS, Branch, Column, Database, Model, Snapshot, Table


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else f"'{value}'"


def values_of(column: Column) -> st.SearchStrategy[Any]:
    present: st.SearchStrategy[Any] = st.integers(0, 3) if column.type in INTEGERS else st.sampled_from("abc")
    return st.none() | present if column.nullable else present


class Twins(RuleBasedStateMachine):
    """Rules stand in subclasses."""

    def __init__(self) -> None:
        super().__init__()
        self.lake = Lake()
        self.model = Model()
        main = self.model.branches["main"]
        main.head = self.lake.head()
        main.reach = frozenset({main.head})
        main.versions[main.head] = Snapshot(main.state, 0, main.reach)

    # -- the two lakes ------------------------------------------------------------------------------------------------

    def sql(self, branch: Branch, text: str) -> StatementResult:
        return self.lake.sql(text, branch.name, transaction=branch.transaction)

    def version(self, branch: Branch, text: str) -> int:
        """Run a statement that must make a version."""
        version = self.maybe_version(branch, text)
        assert version is not None, text
        return version

    def maybe_version(self, branch: Branch, text: str) -> int | None:
        """Run a statement that may find nothing to do."""
        note(f"{branch.name}: {text}")
        version = self.sql(branch, text).version
        return version if version is not None and version > branch.head else None

    def compare_table(self, branch: Branch, table: Table) -> None:
        name = branch.state.full_name(table)
        described = self.sql(branch, f"DESCRIBE TABLE EXTENDED {name}").rows
        end = next(index for index, row in enumerate(described) if not row[0])
        columns = [
            (c.name, c.type, c.nullable, None if c.default is None else literal(c.default)) for c in table.columns
        ]
        shown = [tuple(row[:4]) for row in described[:end]]
        assert sorted(shown) == sorted(columns), f"{branch.name}: {name} has the columns {shown} instead of {columns}"
        assert {row[0]: row[1] for row in described[end:]}["Properties"] == _properties(table)
        self.compare_rows(branch, name, table)

    def compare_rows(self, branch: Branch, name: str, table: Table) -> None:
        answer = self.sql(branch, f"SELECT * FROM {name}")
        names = [column for column, _ in answer.columns]
        rows = [dict(zip(names, row, strict=True)) for row in answer.rows]
        found, expected = _sorted(rows), _sorted(table.content())
        assert found == expected, f"{branch.name}: {name} holds {found} instead of {expected}"

    def compare_branch(self, branch: Branch) -> None:
        """Everything that the branch shows."""
        state = branch.state
        databases = {(row[0], int(row[1])) for row in self.sql(branch, "SHOW DATABASES").rows}
        assert databases == {(item.name, item.id) for item in state.databases.values()}
        tables = {(row[0], row[1], int(row[2])) for row in self.sql(branch, "SHOW TABLES").rows}
        assert tables == {
            (state.databases[item.database_id].name, item.name, item.id) for item in state.tables.values()
        }
        for database in state.databases.values():
            described = dict(self.sql(branch, f"DESCRIBE DATABASE {database.name}").rows)
            assert described["Properties"] == _properties(database)
        for table in state.tables.values():
            self.compare_table(branch, table)

    # -- what can be chosen -------------------------------------------------------------------------------------------

    def branch(self, data: st.DataObject) -> Branch:
        return self.model.branches[data.draw(st.sampled_from(sorted(self.model.branches)), "branch")]

    def two_branches(self, data: st.DataObject) -> tuple[Branch, Branch]:
        pairs = list(itertools.permutations(sorted(self.model.branches), 2))
        first, second = data.draw(st.sampled_from(pairs), "branches")
        return self.model.branches[first], self.model.branches[second]

    def database(self, data: st.DataObject, branch: Branch) -> Database | None:
        return one(data, branch.state.databases, "database")

    def table(self, data: st.DataObject) -> tuple[Branch, Table | None]:
        branch = self.branch(data)
        return branch, one(data, branch.state.tables, "table")


def one(data: st.DataObject, items: Any, label: str) -> Any:
    return items[data.draw(st.sampled_from(sorted(items)), label)] if items else None


def _properties(owner: Database | Table) -> str:
    return "(" + ", ".join(f"{key}={value}" for key, value in sorted(owner.properties.items())) + ")"


def _sorted(rows: Sequence[dict[str, Any]]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)
