"""Plain Spark: what each statement must answer, by Spark's own tables of Parquet files and its own analysis.

Spark has no UPDATE, DELETE, MERGE or DROP COLUMN on such tables. They are written as INSERTs of what is left and of
what is new into another table, so that Spark itself judges conditions, assignments, lengths and CHAR padding. The rows
that a MERGE acts on are those of rows.md §1, known by file and place in it.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tests.differential.altering import Column, altered
from tests.differential.answers import Answer, Done, Refused, Rows, arrow_rows, rows_of
from tests.differential.kinds import read, text
from tests.differential.merging import merge_parts
from tests.differential.statements import (
    Change,
    Create,
    Delete,
    Insert,
    Merge,
    Optimize,
    Question,
    Replace,
    Setup,
    Update,
    behind,
)
from tests.differential.updating import Parts, delete_parts, update_parts

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

CONFIGURATION = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    # Parquet's dictionaries and statistics tell 0.0 from -0.0, which Spark's operators do not.
    "spark.sql.parquet.filterPushdown": "false",
}
_NAME = re.compile(r"\bd\.(\w+)\b")
TRIAL = "__trial"


def plain_session(remote: str) -> SparkSession:
    """A session with Spark's own defaults. Its refusals are answers here: the client does not print them."""
    from pyspark.logger import PySparkLogger
    from pyspark.sql.connect.session import SparkSession

    PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True
    session = SparkSession.builder.remote(remote).create()
    for name, value in CONFIGURATION.items():
        session.conf.set(name, value)
    return session


class SparkRefuses(Exception):
    """A statement that Spark refuses without an exception of its own."""


class Peer:
    """The tables of one history. ``d.t`` of a statement is what ``_tables`` says."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._database = f"peer_{uuid.uuid4().hex[:10]}"
        self._tables: dict[str, str] = {}
        self._columns: dict[str, tuple[Column, ...]] = {}
        self._trials: dict[str, str] = {}
        self._pending: dict[int, Parts] = {}
        self._numbers = iter(range(1_000_000))
        self._spark.sql(f"CREATE DATABASE {self._database}")

    def close(self) -> None:
        self._spark.sql(f"DROP DATABASE IF EXISTS {self._database} CASCADE")

    # -- the state --------------------------------------------------------------------------------------------------

    def run(self, statement: Setup) -> Answer:
        """Make one change of the setup."""
        return self._asked(lambda: self._run(statement))

    def has(self, table: str) -> bool:
        return table in self._tables

    def rows(self, table: str) -> Rows:
        return self._read(f"SELECT * FROM {self._tables[table]}")

    def _run(self, statement: Setup) -> Answer:
        if isinstance(statement, Create):
            columns = tuple(Column(name, kind) for name, kind in statement.columns)
            self._columns[statement.table], self._tables[statement.table] = columns, self._make(columns)
        elif isinstance(statement, Replace):
            self._replace(statement)
        elif isinstance(statement, Insert):
            self._spark.sql(self._named(statement.text))
        elif isinstance(statement, Delete | Update | Merge):
            self._tables[statement.table] = self._changed(statement)
        elif not isinstance(statement, Optimize):
            columns, expressions = altered(self._columns[statement.table], statement)
            made = self._make(columns)
            self._spark.sql(f"INSERT INTO {made} SELECT {', '.join(expressions)} FROM {self._tables[statement.table]}")
            self._columns[statement.table], self._tables[statement.table] = columns, made
        return Done()

    def _replace(self, statement: Replace) -> None:
        columns = tuple(Column(name, kind) for name, kind in statement.columns)
        if statement.query:
            made = f"{self._database}.t{next(self._numbers)}"
            self._spark.sql(self._named(f"CREATE TABLE {made} USING parquet AS {statement.query}"))
            described = self._query(f"DESCRIBE {made}").collect()
            columns = tuple(Column(row["col_name"], read(row["data_type"])) for row in described)
        else:
            made = self._make(columns)
        self._columns[statement.table], self._tables[statement.table] = columns, made

    def _changed(self, statement: Change) -> str:
        """A table as the statement leaves it."""
        parts, made = self._parts(statement), self._make(self._columns[statement.table])
        for part in (*parts.written, parts.kept):
            self._spark.sql(self._named(f"INSERT INTO {made} BY NAME {part}"))
        if any(self._union([query]) for query in parts.forbidden):
            raise SparkRefuses("A target row matches several source rows.")
        return made

    # -- trials -----------------------------------------------------------------------------------------------------

    def try_out(self, number: int, statement: Change) -> Answer:
        """Write the new rows of a change beside the state. ``trial_rows`` finds those that are left, of all trials."""
        return self._asked(lambda: self._try_out(number, statement))

    def _try_out(self, number: int, statement: Change) -> Answer:
        parts = self._parts(statement)
        if isinstance(statement, Insert):
            self._write(number, statement.table, f"{statement.into} {behind(statement.common, statement.source)}")
        for part in parts.written:
            self._write(number, statement.table, f"BY NAME {part}")
        for query in (parts.kept, *parts.forbidden):
            self._resolved(query)
        self._pending[number] = parts
        return Done()

    def _write(self, number: int, table: str, rows: str) -> None:
        if table not in self._trials:
            self._trials[table] = self._make(self._columns[table], f"{TRIAL} INT")
        self._spark.sql(self._named(f"INSERT INTO {self._trials[table]} PARTITION ({TRIAL} = {number}) {rows}"))

    def _parts(self, statement: Change) -> Parts:
        columns, table = self._columns[statement.table], self._tables[statement.table]
        match statement:
            case Delete():
                return delete_parts(statement, table)
            case Update():
                return update_parts(statement, table, columns)
            case Merge():
                return merge_parts(statement, table, columns)
        return Parts(f"SELECT * FROM {table}")

    def is_unchanged(self, number: int) -> bool:
        """A statement that changes no row makes no version (rows.md §1.5)."""
        return True

    def trial_rows(self, trials: Mapping[int, Change]) -> dict[int, Answer]:
        """Of each trial the rows of its table after it, or the refusal of what only its rows show."""
        found: dict[int, Answer] = {}
        for table in {statement.table for statement in trials.values()}:
            numbers = [number for number, statement in trials.items() if statement.table == table]
            found |= self._rows_of_trials(table, numbers)
        return found

    def _rows_of_trials(self, table: str, numbers: Sequence[int]) -> dict[int, Answer]:
        queries = [query for number in numbers for query in self._queries(table, number)]
        try:
            rows = self._union(queries)
        except Exception:  # noqa: BLE001 -- one by one they say which of them fails
            return {number: self._asked(lambda n=number: self._alone(table, n)) for number in numbers}
        return {number: self._judged(table, number, rows) for number in numbers}

    def _alone(self, table: str, number: int) -> Answer:
        return self._judged(table, number, self._union(self._queries(table, number)))

    def _queries(self, table: str, number: int) -> list[str]:
        """Queries of (trial, whether the row forbids it, columns)."""
        parts = self._pending[number]
        names = ", ".join(column.name for column in self._columns[table])
        nothing = ", ".join("NULL" for _ in self._columns[table])
        queries = [f"SELECT {number} AS {TRIAL}, false AS __forbids, {names} FROM ({parts.kept})"]
        queries += [f"SELECT {number}, true, {nothing} FROM ({query})" for query in parts.forbidden]
        if table in self._trials:
            written = f"SELECT {TRIAL}, false, {names} FROM {self._trials[table]} WHERE {TRIAL} = {number}"
            queries.append(written)
        return queries

    def _union(self, queries: Sequence[str]) -> list[list[Any]]:
        table, _ = self._query(" UNION ALL ".join(queries))._to_table()
        return arrow_rows(table)

    def _judged(self, table: str, number: int, rows: Sequence[Sequence[Any]]) -> Answer:
        own = [row for row in rows if row[0] == number]
        if any(row[1] for row in own):
            return Refused("CARDINALITY", "A target row matches several source rows.")
        columns = [(column.name, text(column.kind, stored=True)) for column in self._columns[table]]
        return rows_of(columns, [row[2:] for row in own])

    def _resolved(self, query: str) -> None:
        self._query(query).schema  # noqa: B018 -- asking for the schema has the query analysed

    # -- questions --------------------------------------------------------------------------------------------------

    def analyses(self, question: Question) -> Answer:
        """Whether Spark resolves the question, without running it."""

        def analysed() -> Answer:
            self._resolved(question.text)
            return Done()

        return self._asked(analysed)

    def ask(self, question: str) -> Answer:
        return self._asked(lambda: self._read(self._named(question)))

    # -- what Spark says --------------------------------------------------------------------------------------------

    def _read(self, query: str) -> Rows:
        table, schema = self._query(query)._to_table()
        assert schema is not None
        columns = [(field.name, field.dataType.simpleString()) for field in schema.fields]
        return rows_of(columns, arrow_rows(table))

    def _query(self, query: str) -> DataFrame:
        """In as few calls as there can be: ``sql`` has it analysed, and ``toArrow`` asks for the schema."""
        from pyspark.sql.connect.dataframe import DataFrame
        from pyspark.sql.connect.plan import SQL

        return DataFrame(SQL(self._named(query), [], {}, []), self._spark)

    def _asked(self, work) -> Answer:
        from pyspark.errors import PySparkException

        try:
            return work()
        except (PySparkException, SparkRefuses) as refusal:
            message = str(refusal).partition("JVM stacktrace")[0].strip()
            return Refused(type(refusal).__name__, message[:400])

    def _make(self, columns: Sequence[Column], partition: str = "") -> str:
        """A table of Spark's own; its name."""
        name = f"{self._database}.t{next(self._numbers)}"
        fields = ", ".join(f"{column.name} {text(column.kind)}" for column in columns)
        more = f", {partition}) USING parquet PARTITIONED BY ({TRIAL})" if partition else ") USING parquet"
        self._spark.sql(f"CREATE TABLE {name} ({fields}{more}")
        return name

    def _named(self, statement: str) -> str:
        return _NAME.sub(lambda match: self._tables.get(match[0], match[0]), statement)
