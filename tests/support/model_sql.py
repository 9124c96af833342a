"""SQL of stories as statements of the reference model. A statement that is not understood is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.reference.facts import RowId
from tests.reference.lake import Lake as Model
from tests.reference.stamps import Stamp
from tests.reference.state import State
from tests.reference.statements import Statement, add_partition, delete, overwrite, put_attributes, update

TYPES = {"INT": 1, "BIGINT": 2, "VARCHAR(3)": 1, "VARCHAR(9)": 2, "STRING": 3}
"""Widths of types. Values of stories fit into the narrowest."""

Row = dict[str, Any]
Spoken = Callable[[State], Statement | None]
"""What a statement is on a state; None: it changes nothing there."""


def value_of(text: str) -> Any:
    text = text.strip()
    return None if text == "NULL" else text[1:-1] if text.startswith("'") else int(text)


def where_of(text: str | None) -> Callable[[Row], bool]:
    terms = [re.fullmatch(r"\s*(\w+) (=|>|>=|<|<=) (\S+)\s*", term) for term in text.split(" AND ")] if text else []
    compare = {
        "=": lambda a, b: a == b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
    }
    found = []
    for term in terms:
        assert term is not None, f"no condition of a story: {text}"
        found.append((term[1], compare[term[2]], value_of(term[3])))
    return lambda row: all(row[name] is not None and of(row[name], value) for name, of, value in found)


def rows_of(state: State, t: str) -> dict[Any, Row]:
    columns = state.columns(t)
    return {
        r: {column.name: _plain(column.read(fact.value, c)) for c, column in columns.items()}
        for r, fact in state.rows(t).items()
    }


def _plain(cell: Any) -> Any:
    return None if cell is None else cell[0]


def _cell(value: Any) -> Any:
    return None if value is None else (value, 1)


class Names:
    """Objects by their names. An object that is made under a name again is another one."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.partitioned: dict[str, str] = {}

    def make(self, kind: str, name: str) -> str:
        self.made.append(f"{kind}{name}#{len(self.made)}")
        return self.made[-1]

    def database(self, state: State, name: str, *, alive: bool = True) -> str:
        return self._one(state, "D", None, name, alive=alive)

    def table(self, state: State, name: str, *, alive: bool = True) -> str:
        database, table = name.split(".")
        return self._one(state, "T", self.database(state, database), table, alive=alive)

    def _one(self, state: State, kind: str, home: str | None, name: str, *, alive: bool) -> str:
        found = [
            o
            for o in state.facts
            if o.startswith(kind)
            and (state.value(o, "name"), state.value(o, "home")) == (name, home)
            and bool(state.value(o, "exists")) == alive
        ]
        assert len(found) == 1, f"{len(found)} objects are called {name}"
        return found[0]


class Speaker:
    """Finds what a statement is on the model."""

    def __init__(self, model: Model) -> None:
        self.model, self.names = model, Names()
        self.phrases = list(self._phrases())

    def find(self, text: str) -> Spoken | None:
        """None: the statement changes no fact."""
        for pattern, make in self.phrases:
            if match := re.fullmatch(pattern, text, re.DOTALL):
                return lambda state: make(state, *match.groups())
        assert re.match(r"SELECT|DESCRIBE|SHOW|OPTIMIZE", text), f"no statement of a story: {text}"
        return None

    def _phrases(self) -> Iterator[tuple[str, Callable[..., Statement | None]]]:
        yield r"CREATE DATABASE (\w+)", self._create_database
        yield r"CREATE TABLE (\S+) \((.*?)\)(?: PARTITIONED BY \((\w+)\))?", self._create_table
        yield r"INSERT INTO (\S+)(?: \(([\w, ]+)\))? VALUES (.*)", self._insert
        yield r"INSERT OVERWRITE (\S+) VALUES (.*)", self._overwrite
        yield r"UPDATE (\S+) SET (\w+) = (\S+)(?: WHERE (.*))?", self._update
        yield r"DELETE FROM (\S+)(?: WHERE (.*))?", self._delete
        yield r"(DROP|UNDROP) DATABASE (\w+)(?: CASCADE)?", self._database_exists
        yield r"(DROP|UNDROP) TABLE (\S+)", self._table_exists
        yield r"ALTER DATABASE (\w+) SET DBPROPERTIES \('(\w+)' = ('\w+')\)", self._database_property
        yield r"ALTER TABLE (\S+) SET TBLPROPERTIES \('(\w+)' = ('\w+')\)", self._table_property
        yield r"ALTER TABLE (\S+) RENAME TO (\w+)\.(\w+)", self._rename
        yield r"ALTER TABLE (\S+) ADD COLUMN (\w+) (\S+)", self._add_column
        yield r"ALTER TABLE (\S+) DROP COLUMN (\w+)", self._drop_column
        yield r"ALTER TABLE (\S+) ALTER COLUMN (\w+) TYPE (\S+)", self._widen
        yield r"ALTER TABLE (\S+) (ADD|DROP) PARTITION \(\w+ = (\w+)\)", self._partition

    def _create_database(self, state: State, name: str) -> Statement:
        return put_attributes(self.names.make("D", name), exists=True, name=name)

    def _create_table(self, state: State, name: str, columns: str, partitioned: str | None) -> Statement:
        database, table = name.split(".")
        t = self.names.make("T", name)
        if partitioned:
            self.names.partitioned[t] = partitioned
        values: Row = {"exists": True, "name": table, "home": self.names.database(state, database)}
        for number, column in enumerate(columns.split(", ")):
            called, kind = column.split(" ")
            of = {"exists": (None,), "name": called, "type": TYPES[kind]}
            values |= {f"column__{number}__{key}": value for key, value in of.items()}
        return put_attributes(t, **values)

    def _insert(self, state: State, name: str, columns: str | None, values: str) -> Statement:
        t = self.names.table(state, name)
        called = columns.split(", ") if columns else [column.name for column in state.columns(t).values()]
        return self._inserted(t, called, values)

    def _inserted(self, t: str, called: list[str], values: str) -> Statement:
        rows = [
            dict(zip(called, map(value_of, row.split(",")), strict=True)) for row in re.findall(r"\(([^)]*)\)", values)
        ]

        def run(state: State, stamp: Stamp) -> None:
            columns = state.columns(t)
            for row in rows:
                state.inserted += 1
                part = str(row[self.names.partitioned[t]]) if t in self.names.partitioned else "all"
                r = RowId(stamp.version, part, state.inserted)
                image = tuple((c, _cell(row.get(column.name))) for c, column in columns.items())
                state.put(t, ("row", r), image, stamp, "insert")
                state.put(t, ("partition", r), part, stamp, "insert")

        return run

    def _overwrite(self, state: State, name: str, values: str) -> Statement:
        t = self.names.table(state, name)
        emptied = overwrite(t, None)
        filled = self._inserted(t, [column.name for column in state.columns(t).values()], values)

        def run(state: State, stamp: Stamp) -> None:
            emptied(state, stamp)
            filled(state, stamp)

        return run

    def _update(self, state: State, name: str, column: str, value: str, where: str | None) -> Statement | None:
        """Rows that have the value already are not written."""
        t, wanted, holds = self.names.table(state, name), value_of(value), where_of(where)
        hit = {r for r, row in rows_of(state, t).items() if holds(row) and row[column] != wanted}
        return update(t, hit.__contains__, {column: _cell(wanted)}) if hit else None

    def _delete(self, state: State, name: str, where: str | None) -> Statement | None:
        t, holds = self.names.table(state, name), where_of(where)
        hit = {r for r, row in rows_of(state, t).items() if holds(row)}
        return delete(t, hit.__contains__) if hit else None

    def _database_exists(self, state: State, verb: str, name: str) -> Statement:
        drops = verb == "DROP"
        return put_attributes(self.names.database(state, name, alive=drops), exists=None if drops else True)

    def _table_exists(self, state: State, verb: str, name: str) -> Statement:
        drops = verb == "DROP"
        return put_attributes(self.names.table(state, name, alive=drops), exists=None if drops else True)

    def _database_property(self, state: State, name: str, key: str, value: str) -> Statement:
        return put_attributes(self.names.database(state, name), **{f"property__{key}": value_of(value)})

    def _table_property(self, state: State, name: str, key: str, value: str) -> Statement:
        return put_attributes(self.names.table(state, name), **{f"property__{key}": value_of(value)})

    def _rename(self, state: State, name: str, database: str, table: str) -> Statement:
        t, home = self.names.table(state, name), self.names.database(state, database)
        values: Row = {"name": table, "home": home}
        return put_attributes(t, **{key: value for key, value in values.items() if state.value(t, key) != value})

    def _add_column(self, state: State, name: str, column: str, kind: str) -> Statement:
        t = self.names.table(state, name)
        c = self.model.columns.allocate(state, t, column, None)
        of = {"exists": (None,), "name": column, "type": TYPES[kind]}
        return put_attributes(t, **{f"column__{c}__{key}": value for key, value in of.items()})

    def _drop_column(self, state: State, name: str, column: str) -> Statement:
        t = self.names.table(state, name)
        return put_attributes(t, **{f"column__{self._column(state, t, column)}__exists": None})

    def _widen(self, state: State, name: str, column: str, kind: str) -> Statement:
        t = self.names.table(state, name)
        return put_attributes(t, **{f"column__{self._column(state, t, column)}__type": TYPES[kind]})

    def _column(self, state: State, t: str, name: str) -> str:
        return next(c for c, column in state.columns(t).items() if column.name == name)

    def _partition(self, state: State, name: str, verb: str, value: str) -> Statement:
        t = self.names.table(state, name)
        return add_partition(t, value) if verb == "ADD" else overwrite(t, value, kind="drop partition")
