"""Random histories through the front door, each statement also done on the naive model, both compared as they go.

One rule per kind of statement; laws are checked where they can break.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lakeui.frontdoor import StatementResult
from tests.e2e.lake import Lake
from tests.stateful.model import EVERYTHING, INTEGERS, TEXTS, Branch, Column, Database, Model, Row, Snapshot, Table
from tests.stateful.replay import Conflict, Verdict, merge

DATABASES, TABLES, COLUMNS = ("d1", "d2", "d3"), ("t1", "t2", "t3"), ("k", "v", "w", "x")
BRANCHES = ("b1", "b2", "b3", "b4")
KEYS, VALUES = ("p", "q"), ("1", "2")


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else f"'{value}'"


def values_of(column: Column) -> st.SearchStrategy[Any]:
    present: st.SearchStrategy[Any] = st.integers(0, 3) if column.type in INTEGERS else st.sampled_from("abc")
    return st.none() | present if column.nullable else present


class Histories(RuleBasedStateMachine):
    """A lake and its model, kept in step."""

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
        return self.lake.sql(text, branch.name)

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
        assert sorted(tuple(row[:4]) for row in described[:end]) == sorted(columns), name
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
        return _one(data, branch.state.databases, "database")

    def table(self, data: st.DataObject) -> tuple[Branch, Table | None]:
        branch = self.branch(data)
        return branch, _one(data, branch.state.tables, "table")

    # -- databases ----------------------------------------------------------------------------------------------------

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """One database, one table with rows, one branch: most of what is interesting needs them."""
        main = self.model.branches["main"]
        self._create_database(main, "d1")
        self._create_table(data, main, next(iter(main.state.databases.values())), "t1")
        table = next(iter(main.state.tables.values()))
        self._insert(data, main, table)
        self._create_branch("b1", main, main.head)

    def _create_database(self, branch: Branch, name: str) -> None:
        version = self.version(branch, f"CREATE DATABASE {name}")
        found = {row[0]: int(row[1]) for row in self.sql(branch, "SHOW DATABASES").rows}
        self.model.create(branch, version, Database(found[name], name))

    @rule(data=st.data(), name=st.sampled_from(DATABASES))
    def create_database(self, data: st.DataObject, name: str) -> None:
        branch = self.branch(data)
        if name not in _names(branch.state.databases):
            self._create_database(branch, name)

    @rule(data=st.data())
    def drop_database(self, data: st.DataObject) -> None:
        branch = self.branch(data)
        database = self.database(data, branch)
        if database and data.draw(st.integers(0, 3)) == 0:
            version = self.version(branch, f"DROP DATABASE {database.name} CASCADE")
            self.model.drop(branch, version, ("database", database.id))

    @rule(data=st.data(), name=st.sampled_from(DATABASES))
    def rename_database(self, data: st.DataObject, name: str) -> None:
        branch = self.branch(data)
        database = self.database(data, branch)
        if database and name not in _names(branch.state.databases):
            version = self.version(branch, f"ALTER DATABASE {database.name} RENAME TO {name}")
            self.model.rename_database(branch, version, database, name)

    @rule(data=st.data(), key=st.sampled_from(KEYS), value=st.sampled_from(VALUES))
    def set_database_property(self, data: st.DataObject, key: str, value: str) -> None:
        branch = self.branch(data)
        database = self.database(data, branch)
        if database:
            version = self.version(branch, f"ALTER DATABASE {database.name} SET DBPROPERTIES ('{key}' = '{value}')")
            self.model.set_property(branch, version, database, key, value)

    @rule(data=st.data(), key=st.sampled_from(KEYS))
    def unset_database_property(self, data: st.DataObject, key: str) -> None:
        branch = self.branch(data)
        database = self.database(data, branch)
        if database and key in database.properties:
            version = self.version(branch, f"ALTER DATABASE {database.name} UNSET DBPROPERTIES ('{key}')")
            self.model.set_property(branch, version, database, key, None)

    # -- tables -------------------------------------------------------------------------------------------------------

    def _create_table(self, data: st.DataObject, branch: Branch, database: Database, name: str) -> None:
        columns = [
            Column(self.model.number(), "k", data.draw(st.sampled_from(("smallint", "int")), "type of k")),
            Column(self.model.number(), "v", "varchar(3)", nullable=data.draw(st.booleans(), "v is nullable")),
        ]
        partitioned = data.draw(st.booleans(), "partitioned")
        text = ", ".join(f"{c.name} {c.type}{'' if c.nullable else ' NOT NULL'}" for c in columns)
        clause = " PARTITIONED BY (k)" if partitioned else ""
        version = self.version(branch, f"CREATE TABLE {database.name}.{name} ({text}){clause}")
        found = {row[1]: int(row[2]) for row in self.sql(branch, f"SHOW TABLES IN {database.name}").rows}
        key = (columns[0].id,) if partitioned else ()
        self.model.create(branch, version, Table(found[name], database.id, name, tuple(columns), key))

    @rule(data=st.data(), name=st.sampled_from(TABLES))
    def create_table(self, data: st.DataObject, name: str) -> None:
        branch = self.branch(data)
        database = self.database(data, branch)
        if database and (database.id, name) not in _table_names(branch):
            self._create_table(data, branch, database, name)

    @rule(data=st.data())
    def drop_table(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if table and data.draw(st.integers(0, 2)) == 0:
            version = self.version(branch, f"DROP TABLE {branch.state.full_name(table)}")
            self.model.drop(branch, version, ("table", table.id))

    @rule(data=st.data(), name=st.sampled_from(TABLES))
    def rename_table(self, data: st.DataObject, name: str) -> None:
        branch, table = self.table(data)
        database = self.database(data, branch)
        if table and database and (database.id, name) not in _table_names(branch):
            text = f"ALTER TABLE {branch.state.full_name(table)} RENAME TO {database.name}.{name}"
            self.model.rename_table(branch, self.version(branch, text), table, database.id, name)

    @rule(data=st.data(), key=st.sampled_from(KEYS), value=st.sampled_from(VALUES))
    def set_table_property(self, data: st.DataObject, key: str, value: str) -> None:
        branch, table = self.table(data)
        if table:
            text = f"ALTER TABLE {branch.state.full_name(table)} SET TBLPROPERTIES ('{key}' = '{value}')"
            self.model.set_property(branch, self.version(branch, text), table, key, value)

    @rule(data=st.data(), key=st.sampled_from(KEYS))
    def unset_table_property(self, data: st.DataObject, key: str) -> None:
        branch, table = self.table(data)
        if table and key in table.properties:
            text = f"ALTER TABLE {branch.state.full_name(table)} UNSET TBLPROPERTIES ('{key}')"
            self.model.set_property(branch, self.version(branch, text), table, key, None)

    # -- columns ------------------------------------------------------------------------------------------------------

    @rule(data=st.data(), name=st.sampled_from(COLUMNS), kind=st.sampled_from((*INTEGERS, *TEXTS)))
    def add_column(self, data: st.DataObject, name: str, kind: str) -> None:
        branch, table = self.table(data)
        if not table or name in {column.name for column in table.columns}:
            return
        column = Column(self.model.number(), name, kind)
        default = data.draw(values_of(column), "default")
        strict = (default is not None or not table.rows) and data.draw(st.booleans(), "not null")
        column = Column(column.id, name, kind, not strict, default, default)
        text = f"{name} {kind}{' NOT NULL' if strict else ''}"
        text += "" if default is None else f" DEFAULT {literal(default)}"
        version = self.version(branch, f"ALTER TABLE {branch.state.full_name(table)} ADD COLUMN {text}")
        self.model.add_column(branch, version, table, column)

    @rule(data=st.data())
    def drop_column(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        # One column always stays: what a merge makes of drops that leave no column is not settled.
        free = [column for column in table.columns[1:] if column.id not in table.partition_by] if table else []
        if table and free:
            column = data.draw(st.sampled_from(free), "column")
            text = f"ALTER TABLE {branch.state.full_name(table)} DROP COLUMN {column.name}"
            self.model.drop_column(branch, self.version(branch, text), table, column)

    @rule(data=st.data(), name=st.sampled_from(COLUMNS))
    def rename_column(self, data: st.DataObject, name: str) -> None:
        branch, table = self.table(data)
        if table and name not in {column.name for column in table.columns}:
            column = data.draw(st.sampled_from(table.columns), "column")
            text = f"ALTER TABLE {branch.state.full_name(table)} RENAME COLUMN {column.name} TO {name}"
            self.model.alter_column(branch, self.version(branch, text), table, column, "name", name)

    @rule(data=st.data())
    def widen_column(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if not table:
            return
        column = data.draw(st.sampled_from(table.columns), "column")
        family = INTEGERS if column.type in INTEGERS else TEXTS
        wider = family[family.index(column.type) + 1 :]
        if wider and column.id not in table.partition_by:
            kind = data.draw(st.sampled_from(wider), "type")
            self._alter(branch, table, column, f"TYPE {kind}", "type", kind)

    @rule(data=st.data())
    def alter_nullability(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if not table:
            return
        column = data.draw(st.sampled_from(table.columns), "column")
        if not column.nullable:
            self._alter(branch, table, column, "DROP NOT NULL", "nullable", True)
        elif None not in [row[column.name] for row in table.content()]:
            self._alter(branch, table, column, "SET NOT NULL", "nullable", False)

    @rule(data=st.data())
    def alter_default(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if not table:
            return
        column = data.draw(st.sampled_from(table.columns), "column")
        default = data.draw(st.none() | values_of(column), "default")
        if default != column.default:
            text = "DROP DEFAULT" if default is None else f"SET DEFAULT {literal(default)}"
            self._alter(branch, table, column, text, "default", default)

    def _alter(self, branch: Branch, table: Table, column: Column, text: str, attribute: str, value: Any) -> None:
        statement = f"ALTER TABLE {branch.state.full_name(table)} ALTER COLUMN {column.name} {text}"
        self.model.alter_column(branch, self.version(branch, statement), table, column, attribute, value)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _rows(self, data: st.DataObject, columns: Sequence[Column], size: int = 3) -> list[dict[str, Any]]:
        row = st.fixed_dictionaries({column.name: values_of(column) for column in columns})
        return data.draw(st.lists(row, min_size=1, max_size=size), "rows")

    def _insert(self, data: st.DataObject, branch: Branch, table: Table) -> None:
        with_default = [column for column in table.columns if column.nullable or column.default is not None]
        left_out = data.draw(st.sampled_from((None, *with_default)), "left out")
        columns = [column for column in table.columns if column != left_out] or list(table.columns)
        rows = self._rows(data, columns)
        values = ", ".join("(" + ", ".join(literal(row[c.name]) for c in columns) + ")" for row in rows)
        names = ", ".join(column.name for column in columns)
        text = f"INSERT INTO {branch.state.full_name(table)} ({names}) VALUES {values}"
        self.model.insert(branch, self.version(branch, text), table, rows)

    @rule(data=st.data())
    def insert(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if table:
            self._insert(data, branch, table)
            self.compare_table(branch, branch.state.tables[table.id])

    def _matched(self, data: st.DataObject, table: Table) -> tuple[str, list[Row]]:
        """A WHERE clause and the rows that it names."""
        column = data.draw(st.sampled_from(table.columns), "column")
        value = data.draw(st.integers(0, 3) if column.type in INTEGERS else st.sampled_from("abc"), "value")
        operator = data.draw(st.sampled_from(("=", "<", ">=", "IS NULL", "TRUE")), "operator")
        rows = [(row, table.read(row)[column.name]) for row in table.rows.values()]
        match operator:
            case "IS NULL":
                return f"WHERE {column.name} IS NULL", [row for row, found in rows if found is None]
            case "TRUE":
                return "", [row for row, _ in rows]
        known = [(row, found) for row, found in rows if found is not None]
        chosen = {
            "=": [row for row, found in known if found == value],
            "<": [row for row, found in known if found < value],
            ">=": [row for row, found in known if found >= value],
        }
        return f"WHERE {column.name} {operator} {literal(value)}", chosen[operator]

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if table:
            self._delete(data, branch, table)

    def _delete(self, data: st.DataObject, branch: Branch, table: Table) -> None:
        where, matched = self._matched(data, table)
        version = self.maybe_version(branch, f"DELETE FROM {branch.state.full_name(table)} {where}")
        assert (version is not None) == bool(matched)
        if version:
            self.model.delete(branch, version, table, matched)
            self.compare_table(branch, branch.state.tables[table.id])

    @rule(data=st.data())
    def update(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if table:
            self._update(data, branch, table)

    def _update(self, data: st.DataObject, branch: Branch, table: Table) -> None:
        where, matched = self._matched(data, table)
        column = data.draw(st.sampled_from(table.columns), "assigned")
        value = data.draw(values_of(column), "new value")
        name = branch.state.full_name(table)
        version = self.maybe_version(branch, f"UPDATE {name} SET {column.name} = {literal(value)} {where}")
        assert (version is not None) == bool(matched)
        if version:
            self.model.update(branch, version, table, matched, column, value)
            self.compare_table(branch, branch.state.tables[table.id])

    @rule(data=st.data())
    def overwrite(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if table:
            self._overwrite(data, branch, table)

    def _overwrite(self, data: st.DataObject, branch: Branch, table: Table) -> None:
        rows = self._rows(data, table.columns, size=2)
        name, columns, scope, clause = branch.state.full_name(table), list(table.columns), EVERYTHING, ""
        if table.partition_by and data.draw(st.booleans(), "one partition"):
            fixed = table.column(table.partition_by[0])
            assert fixed is not None
            value = rows[0][fixed.name]
            columns.remove(fixed)
            rows = [{**row, fixed.name: value} for row in rows]
            scope, clause = frozenset({(value,)}), f" PARTITION ({fixed.name} = {literal(value)})"
        if not columns:
            return
        values = ", ".join("(" + ", ".join(literal(row[c.name]) for c in columns) + ")" for row in rows)
        version = self.version(branch, f"INSERT OVERWRITE {name}{clause} VALUES {values}")
        self.model.overwrite(branch, version, table, scope, rows)
        self.compare_table(branch, branch.state.tables[table.id])

    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if not table or data.draw(st.booleans(), "spared"):
            return
        version = self.maybe_version(branch, f"TRUNCATE TABLE {branch.state.full_name(table)}")
        assert version is not None or not table.rows
        if version:
            self.model.overwrite(branch, version, table, EVERYTHING, [])

    @rule(data=st.data())
    def drop_partition(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        partitions = {row.partition for row in table.rows.values()} if table and table.partition_by else set()
        if not table or not partitions:
            return
        (value,) = chosen = data.draw(st.sampled_from(sorted(partitions, key=repr)), "partition")
        fixed = table.column(table.partition_by[0])
        assert fixed is not None
        name = branch.state.full_name(table)
        version = self.version(branch, f"ALTER TABLE {name} DROP PARTITION ({fixed.name} = {literal(value)})")
        self.model.overwrite(branch, version, table, frozenset({chosen}), [], kind="partition")
        self.compare_table(branch, branch.state.tables[table.id])

    @rule(data=st.data())
    def optimize(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if not table or data.draw(st.booleans(), "spared"):
            return
        version = self.maybe_version(branch, f"OPTIMIZE {branch.state.full_name(table)}")
        if version:
            self.model.compact(branch, version, table)
            self.compare_table(branch, branch.state.tables[table.id])

    # -- branches -----------------------------------------------------------------------------------------------------

    def _create_branch(self, name: str, parent: Branch, version: int) -> None:
        note(f"CREATE BRANCH {name} FROM {parent.name} VERSION AS OF {version}")
        self.sql(parent, f"CREATE BRANCH {name} VERSION AS OF {version}")
        self.model.create_branch(name, parent.name, version)

    @precondition(lambda self: len(self.model.branches) <= len(BRANCHES))
    @rule(data=st.data())
    def create_branch(self, data: st.DataObject) -> None:
        parent = self.branch(data)
        versions = sorted(parent.versions)
        version = data.draw(st.just(parent.head) | st.sampled_from(versions[1:] or versions), "version")
        name = next(name for name in BRANCHES if name not in self.model.branches)
        self._create_branch(name, parent, version)
        self.compare_branch(self.model.branches[name])

    @rule(data=st.data())
    def pull_and_merge_back(self, data: st.DataObject) -> None:
        """What a conflict asks for; the way to histories that meet again and again."""
        first, second = self.two_branches(data)
        self._merge(first, second)
        self._merge(second, first)

    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        self._merge(*self.two_branches(data))

    @rule(data=st.data())
    def change_both_and_merge(self, data: st.DataObject) -> None:
        """Merges are where laws can break: this one follows rows that both sides just wrote."""
        source, destination = self.two_branches(data)
        for branch in (destination, source):
            table = _one(data, branch.state.tables, "table")
            if table:
                change = data.draw(st.sampled_from((self._update, self._delete, self._insert, self._overwrite)))
                change(data, branch, table)
        self._merge(source, destination)

    def _merge(self, source: Branch, destination: Branch) -> None:
        verdict = merge(source, destination)
        if verdict.is_open:
            return
        note(f"MERGE BRANCH {source.name} TO {destination.name}")
        dry = self.lake.dry_run(source.name, destination.name)
        conflicts = {(item["kind"], item["object_id"], item["code"]) for item in dry["conflicts"]}
        _agree(verdict, conflicts)
        if conflicts:
            self._refused(source, destination, dry)
        else:
            self._merged(source, destination, dry, verdict)
        self.compare_branch(destination)

    def _refused(self, source: Branch, destination: Branch, dry: dict[str, Any]) -> None:
        heads = self.lake.head(source.name), self.lake.head(destination.name)
        assert self.lake.refused(source.name, destination.name) == dry["conflicts"]
        assert heads == (self.lake.head(source.name), self.lake.head(destination.name))

    def _merged(self, source: Branch, destination: Branch, dry: dict[str, Any], verdict: Verdict) -> None:
        result = self.lake.merge(source.name, destination.name)
        assert result["fingerprint"] == dry["fingerprint"]
        assert (result["outcome"] == "nothing to merge") == verdict.is_empty
        if not verdict.is_empty:
            destination.commit(result["version"], verdict.state, verdict.entries, source.reach)
        again = self.lake.merge(source.name, destination.name)
        assert again["outcome"] == "nothing to merge"
        assert self.lake.head(destination.name) == destination.head

    @rule(data=st.data())
    def travel(self, data: st.DataObject) -> None:
        branch = self.branch(data)
        version = data.draw(st.sampled_from(sorted(branch.versions)), "version")
        self._travel(branch, version)

    def _travel(self, branch: Branch, version: int) -> None:
        state = branch.versions[version].state
        for table in state.tables.values():
            self.compare_rows(branch, f"{state.full_name(table)} VERSION AS OF {version}", table)

    # -- laws that hold at any time -----------------------------------------------------------------------------------

    @invariant()
    def no_required_column_holds_null(self) -> None:
        for branch in self.model.branches.values():
            for table in branch.state.tables.values():
                required = [column.name for column in table.columns if not column.nullable]
                assert all(row[name] is not None for row in table.content() for name in required)

    def teardown(self) -> None:
        """Past versions read as they did, what other branches did changed none, and the metadata are sound."""
        for branch in self.model.branches.values():
            self.compare_branch(branch)
            chosen = random.Random(branch.head).sample(sorted(branch.versions), min(3, len(branch.versions)))
            for version in chosen:
                self._travel(branch, version)
        assert self.lake.breaches() == []


def _agree(verdict: Verdict, conflicts: set[Conflict]) -> None:
    """Rows that are in conflict are in no state in which NULLs could be counted: then A6.2 may go either way."""
    broken = {conflict[:2] for conflict in verdict.required | conflicts if conflict[2] != "NOT_NULL_WITHOUT_VALUE"}
    open_ones = verdict.possible | {(*thing, "NOT_NULL_WITHOUT_VALUE") for thing in broken}
    assert verdict.required - open_ones <= conflicts, (verdict.required, conflicts)
    assert conflicts <= verdict.required | open_ones, (verdict.required, conflicts)


def _one(data: st.DataObject, items: Any, label: str) -> Any:
    return items[data.draw(st.sampled_from(sorted(items)), label)] if items else None


def _names(items: Any) -> set[str]:
    return {item.name for item in items.values()}


def _table_names(branch: Branch) -> set[tuple[int, str]]:
    return {(table.database_id, table.name) for table in branch.state.tables.values()}


def _properties(owner: Database | Table) -> str:
    return "(" + ", ".join(f"{key}={value}" for key, value in sorted(owner.properties.items())) + ")"


def _sorted(rows: Sequence[dict[str, Any]]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)
