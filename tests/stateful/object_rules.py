"""Rules for statements on databases, tables and columns."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.stateful.model import INTEGERS, TEXTS, Branch, Column, Database, Table
from tests.stateful.twins import Twins, literal, values_of

DATABASES, TABLES, COLUMNS = ("d1", "d2", "d3"), ("t1", "t2", "t3"), ("k", "v", "w", "x")
KEYS, VALUES = ("p", "q"), ("1", "2")


class ObjectRules(Twins):
    # -- databases -----------------------------------------------------------------------------------------------------

    def do_create_database(self, branch: Branch, name: str) -> None:
        version = self.version(branch, f"CREATE DATABASE {name}")
        found = {row[0]: int(row[1]) for row in self.sql(branch, "SHOW DATABASES").rows}
        self.model.create(branch, version, Database(found[name], name))

    @rule(data=st.data(), name=st.sampled_from(DATABASES))
    def create_database(self, data: st.DataObject, name: str) -> None:
        branch = self.branch(data)
        if name not in _names(branch.state.databases):
            self.do_create_database(branch, name)

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

    def do_create_table(self, data: st.DataObject, branch: Branch, database: Database, name: str) -> None:
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
            self.do_create_table(data, branch, database, name)

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
            self._set_property(branch, table, key, value)

    def do_set_property(self, data: st.DataObject, branch: Branch, table: Table) -> None:
        key, value = data.draw(st.sampled_from(KEYS), "key"), data.draw(st.sampled_from(VALUES), "value")
        self._set_property(branch, table, key, value)

    def _set_property(self, branch: Branch, table: Table, key: str, value: str) -> None:
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


def _names(items: Any) -> set[str]:
    return {item.name for item in items.values()}


def _table_names(branch: Branch) -> set[tuple[int, str]]:
    return {(table.database_id, table.name) for table in branch.state.tables.values()}
