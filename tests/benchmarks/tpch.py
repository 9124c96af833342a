"""The 22 queries of TPC-H here and in plain Spark, on the same server and the same Parquet files, by turns.

``tpchgen-cli`` makes the rows; the parameters of the queries are those of the validation in TPC-H (section 2.4).
Each query must give the same rows on both sides.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from string import Template
from typing import Any

from tests.benchmarks.lake import Figure
from tests.benchmarks.row_merges import listed_files, plain_spark, spark
from tests.benchmarks.tpch_queries import QUERIES

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
ROUNDS = 3
"""Runs that count, after one that warms up. The fastest counts: other work of a machine only ever adds time."""


class Lake:
    """The eight tables, imported from the files of the generator."""

    def __init__(self, scale: float, home: Path) -> None:
        self.catalog = "tpch"
        self.sql(f"CREATE CATALOG {self.catalog}")
        self.sql("CREATE DATABASE d")
        program = Path(sys.executable).with_name("tpchgen-cli")
        if not program.exists():
            raise SystemExit("tpchgen-cli makes the rows of TPC-H: pip install -r requirements-benchmark.txt")
        made = home / "tpch"
        wanted = ["parquet", "--scale-factor", f"{scale:g}", "--output-dir", str(made)]
        subprocess.run([str(program), *wanted], check=True, stdout=subprocess.DEVNULL)
        for table in TABLES:
            self._load(made / f"{table}.parquet", table)

    def sql(self, text: str) -> Any:
        from lakeui.frontdoor import Session, execute

        return execute(text, Session(catalog=self.catalog))

    def rows(self, text: str) -> list[list[Any]]:
        rows: list[list[Any]] = self.sql(text).rows
        return rows

    def _load(self, file: Path, name: str) -> None:
        from django.conf import settings

        from catalog_app.importing.spec import Reading
        from catalog_app.selectors.snapshots import branch_get, catalog_get
        from catalog_app.services.imports import import_create
        from catalog_app.storage.warehouse import Warehouse
        from lakeui.frontdoor import Session
        from lakeui.frontdoor.entries.imports import import_lifetime, import_load
        from lakeui.frontdoor.inputs_outputs import ImportLoad
        from lakeui.sql.cursor import Cursor
        from lakeui.sql.names import read_present_table

        made = import_create(
            branch=branch_get(catalog_get(self.catalog), "main"),
            user_id=None,
            name=file.name,
            file=file,
            warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"]),
            lifetime=import_lifetime(),
        )
        target = read_present_table(Cursor(f"d.{name}"))
        load = ImportLoad(made.pk, Reading.from_json(made.reading), target, is_new=True)
        import_load(load, name=file.name, session=Session(catalog=self.catalog), context=None)

    def files(self, table: str) -> list[str]:
        return listed_files(self.sql(f"SHOW SEGMENTS d.{table}"))


def figures(*, scale: float) -> Iterator[Figure]:
    with spark() as home:
        lake, plain = Lake(scale, home), plain_spark()
        for table in TABLES:
            plain.read.parquet(*lake.files(table)).createOrReplaceTempView(table)
        here, there = {table: f"d.{table}" for table in TABLES}, {table: table for table in TABLES}
        own_sum = other_sum = 0.0
        for number, text in enumerate(QUERIES, 1):
            query = Template(text)
            own, other = _by_turns(
                partial(lake.rows, query.substitute(here)), partial(_plain_rows, plain, query.substitute(there)), number
            )
            own_sum, other_sum = own_sum + own, other_sum + other
            yield Figure(f"TPC-H: Q{number}, plain Spark, seconds", other)
            yield Figure(f"TPC-H: Q{number} / plain Spark", own / other, at_most=1.5)
        yield Figure("TPC-H: 22 queries, plain Spark, seconds", other_sum)
        yield Figure("TPC-H: 22 queries / plain Spark", own_sum / other_sum, at_most=1.1)


def _by_turns(
    own: Callable[[], list[list[Any]]], other: Callable[[], list[list[Any]]], number: int
) -> tuple[float, float]:
    """The least seconds of each."""
    here, there = _comparable(own()), _comparable(other())
    assert here == there, f"Q{number} differs: {here[:3]} here, {there[:3]} there"
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for work, taken in zip((own, other), times, strict=True):
            began = time.perf_counter()
            work()
            taken.append(time.perf_counter() - began)
    return min(times[0]), min(times[1])


def _comparable(rows: list[list[Any]]) -> list[list[str]]:
    """Rows in one order, numbers with six digits: sums of doubles depend on the order of rows."""

    def text(value: Any) -> str:
        try:
            return f"{float(value):.6g}"
        except (TypeError, ValueError):
            return str(value)

    return sorted([text(value) for value in row] for row in rows)


def _plain_rows(plain: Any, text: str) -> list[list[Any]]:
    return [list(row) for row in plain.sql(text).collect()]
