"""A table after random changes, read by this process as Spark reads it. Each run plays the same histories."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from catalog_app.engine import engine
from catalog_app.engine.first_rows import first_rows
from catalog_app.engine.inputs_outputs import QueryResult
from lakeui.common.errors import LakeError
from tests.support.lake import Lake

VALUES = {
    "int": ["-2147483648", "7"],
    "bigint": ["9223372036854775807", "0"],
    "smallint": ["-1"],
    "string": ["'a'", "''", "'ü𝄞'", "'b  '"],
    "varchar(5)": ["'ab '", "'abcde'"],
    "decimal(10,2)": ["1.50", "-99999999.99"],
    "decimal(38,0)": ["12345678901234567890123456789012345678"],
    "date": ["DATE'0001-01-01'", "DATE'-0005-03-01'", "DATE'+12345-01-01'", "DATE'1582-10-10'"],
    "timestamp": ["TIMESTAMP'2024-07-01 00:00:00.123456 Europe/Berlin'", "TIMESTAMP'+15000-01-01 00:00:00'"],
    "timestamp_ntz": ["TIMESTAMP_NTZ'2024-01-01 00:00:00.1'", "TIMESTAMP_NTZ'-0010-12-31 23:59:59'"],
    "binary": ["X'00ff'", "X''"],
    "boolean": ["true", "false"],
    "float": ["float('NaN')", "float('-0.0')", "1.1"],
    "double": ["double('Infinity')", "-0.0D", "1e300"],
}
OF_SPARK = {
    "char(4)": ["'a'", "'abcd'"],
    "array<int>": ["array(1, NULL)", "array()"],
    "struct<x:int,y:char(3)>": ["named_struct('x', 1, 'y', 'q')"],
    "map<string,date>": ["map('a', DATE'2024-01-01')"],
}
WIDER = {"smallint": "bigint", "int": "bigint", "float": "double", "decimal(10,2)": "decimal(12,2)"}
STEPS = 10


class _Table:
    """A table on its way. What cannot be done, such as a change of a column of its partitions, is left out."""

    def __init__(self, lake: Lake, seed: int) -> None:
        self.lake, self.random, self.branch = lake, Random(seed), "main"
        self.name, self._names = f"d.t{seed}", iter(f"c{number}" for number in range(1000))
        kinds = self.random.sample(list(VALUES), 5) + self.random.sample(list(OF_SPARK), 1)
        self.columns = {"id": "int", **{next(self._names): kind for kind in kinds}}
        said = ", ".join(f"{name} {kind}" for name, kind in self.columns.items())
        laid = self.random.choice(["", "PARTITIONED BY (id)", "PARTITIONED BY (bucket(3, id))"])
        lake.sql(f"CREATE TABLE {self.name} ({said}) {laid}")
        self.insert()

    def change(self) -> None:
        changes = (self.insert, self.update, self.delete, self.add, self.rename, self.drop, self.widen, self.rewrite)
        self.random.choice([self.insert, *changes, self.leave])()

    def _done(self, text: str) -> bool:
        try:
            self.lake.sql(text.replace(" t ", f" {self.name} "), self.branch)
        except LakeError:
            return False
        return True

    def _value(self, kind: str) -> str:
        return self.random.choice(["NULL", *(VALUES | OF_SPARK).get(kind, [])])

    def _some(self) -> str:
        return self.random.choice([name for name in self.columns if name != "id"])

    def insert(self) -> None:
        kinds = list(self.columns.values())[1:]
        rows = [", ".join([str(number), *map(self._value, kinds)]) for number in range(6)]
        assert self._done(f"INSERT INTO t VALUES {', '.join(f'({row})' for row in rows)}")

    def update(self) -> None:
        name = self._some()
        self._done(f"UPDATE t SET `{name}` = {self._value(self.columns[name])} WHERE id = {self.random.randrange(6)}")

    def delete(self) -> None:
        self._done(f"DELETE FROM t WHERE id = {self.random.randrange(6)}")

    def add(self) -> None:
        name, kind = next(self._names), self.random.choice(list(VALUES))
        default = self.random.choice(["", f"DEFAULT {self._value(kind)}"])
        if self._done(f"ALTER TABLE t ADD COLUMN {name} {kind} {default}"):
            self.columns[name] = kind

    def rename(self) -> None:
        name = self._some()
        new = self.random.choice([name.upper(), f"a.{next(self._names)}", f"_row_id{next(self._names)}"])
        if self._done(f"ALTER TABLE t RENAME COLUMN `{name}` TO `{new}`"):
            self.columns = {new if known == name else known: kind for known, kind in self.columns.items()}

    def drop(self) -> None:
        name = self._some()
        if len(self.columns) > 3 and self._done(f"ALTER TABLE t DROP COLUMN `{name}`"):
            del self.columns[name]

    def widen(self) -> None:
        for name, kind in self.columns.items():
            if kind in WIDER and self._done(f"ALTER TABLE t ALTER COLUMN `{name}` TYPE {WIDER[kind]}"):
                self.columns[name] = WIDER[kind]
                return

    def rewrite(self) -> None:
        self._done("OPTIMIZE t ")

    def leave(self) -> None:
        """Work on, on a branch."""
        new = f"{self.name[2:]}_{next(self._names)}"
        self.lake.sql(f"CREATE BRANCH {new} FROM {self.branch}")
        self.branch = new

    def query(self) -> str:
        names = self.random.sample(list(self.columns), self.random.randint(1, 3))
        some = ", ".join(f"`{self.random.choice([name, name.upper()])}`" for name in names)
        version = self.random.randint(self.lake.head() // 2, self.lake.head())
        return self.random.choice(
            [
                f"SELECT {some} FROM {self.name}",
                f"SELECT x.`{names[0]}` AS `a b`, {some} FROM {self.name} AS x LIMIT 1000",
                f"SELECT id FROM {self.name} VERSION AS OF {version}",
                f"SELECT * FROM {self.name}",
                f"SELECT * FROM {self.name} LIMIT 0",
                f"SELECT {some}, _row_id FROM {self.name}",
            ]
        )


def answered(table: _Table, text: str) -> Any:
    """The columns and rows, or what the refusal says."""
    try:
        found = table.lake.sql(text, table.branch)
    except LakeError as error:
        return error.code, error.message
    return found.columns, sorted(map(repr, found.rows)), found.truncated


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rows_read_here_are_those_of_spark(lake: Lake, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    here: list[bool] = []

    def noted(*given: Any, **named: Any) -> QueryResult | None:
        found = first_rows(*given, **named)
        here.append(found is not None)
        return found

    def through(read: Callable[..., QueryResult | None], text: str) -> Any:
        monkeypatch.setattr(engine, "first_rows", read)
        return answered(table, text)

    table = _Table(lake, seed)
    for _ in range(STEPS):
        table.change()
        text = table.query()
        assert through(noted, text) == through(lambda *_, **__: None, text), text
    assert any(here), "Spark read the rows of every query"
