"""Rules for statements on rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.stateful.model import EVERYTHING, INTEGERS, Branch, Column, Row, Table
from tests.stateful.twins import Twins, literal, values_of


def changed_by(table: Table, rows: Sequence[Row], column: Column, value: Any) -> list[Row]:
    """The rows that an UPDATE of the column writes: a row that has the value already is not written."""
    return [row for row in rows if table.read(row)[column.name] != value]


class RowRules(Twins):
    def _rows(self, data: st.DataObject, columns: Sequence[Column], size: int = 3) -> list[dict[str, Any]]:
        row = st.fixed_dictionaries({column.name: values_of(column) for column in columns})
        return data.draw(st.lists(row, min_size=1, max_size=size), "rows")

    def do_insert(self, data: st.DataObject, branch: Branch, table: Table) -> None:
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
            self.do_insert(data, branch, table)
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
            self.do_delete(data, branch, table)

    def do_delete(self, data: st.DataObject, branch: Branch, table: Table) -> None:
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
            self.do_update(data, branch, table)

    def do_update(self, data: st.DataObject, branch: Branch, table: Table) -> None:
        where, matched = self._matched(data, table)
        column = data.draw(st.sampled_from(table.columns), "assigned")
        value = data.draw(values_of(column), "new value")
        matched = changed_by(table, matched, column, value)
        name = branch.state.full_name(table)
        version = self.maybe_version(branch, f"UPDATE {name} SET {column.name} = {literal(value)} {where}")
        assert (version is not None) == bool(matched)
        if version:
            self.model.update(branch, version, table, matched, column, value)
            self.compare_table(branch, branch.state.tables[table.id])

    @rule(data=st.data())
    def merge_into(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if table:
            self.do_merge_into(data, branch, table)

    def do_merge_into(self, data: st.DataObject, branch: Branch, table: Table) -> None:
        """Rows of the table itself are the source and match nothing: each clause acts on what its condition names."""
        (gone, deleted), (changed, updated), (new, given) = (self._matched(data, table) for _ in range(3))
        column, fresh = data.draw(st.sampled_from(table.columns), "assigned"), self._rows(data, table.columns, size=1)
        value = data.draw(values_of(column), "new value")
        spared = {row.id for row in deleted}
        updated = changed_by(table, [row for row in updated if row.id not in spared], column, value)
        values = ", ".join(literal(fresh[0][item.name]) for item in table.columns)
        clauses = [f"WHEN NOT MATCHED BY SOURCE {gone.replace('WHERE', 'AND')} THEN DELETE"]
        if gone:
            which = f"WHEN NOT MATCHED BY SOURCE {changed.replace('WHERE', 'AND')}"
            clauses.append(f"{which} THEN UPDATE SET {column.name} = {literal(value)}")
        names = ", ".join(item.name for item in table.columns)
        clauses.append(f"WHEN NOT MATCHED {new.replace('WHERE', 'AND')} THEN INSERT ({names}) VALUES ({values})")
        name = branch.state.full_name(table)
        text = f"MERGE INTO {name} USING {name} AS s ON FALSE {' '.join(clauses)}"
        version = self.maybe_version(branch, text)
        assert (version is not None) == bool(deleted or updated or given)
        if version:
            self.model.merge_into(
                branch,
                version,
                table,
                updated=(updated, column, value),
                deleted=deleted,
                inserted=fresh * len(given),
            )
            self.compare_table(branch, branch.state.tables[table.id])

    @rule(data=st.data())
    def overwrite(self, data: st.DataObject) -> None:
        branch, table = self.table(data)
        if table:
            self.do_overwrite(data, branch, table)

    def do_overwrite(self, data: st.DataObject, branch: Branch, table: Table) -> None:
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
        # The naive lake knows no order of columns.
        named = ", ".join(column.name for column in columns)
        version = self.version(branch, f"INSERT OVERWRITE {name}{clause} ({named}) VALUES {values}")
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
