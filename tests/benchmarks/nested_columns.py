"""A column with 30 fields inside: what reading one of them reads of the files, and how long writing all takes.

Both are compared with plain Spark on the same server, with the same files and the same rows, by turns.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

from tests.benchmarks.lake import Figure, paired
from tests.benchmarks.row_merges import FILES, Tables, plain_spark, spark

ROUNDS = 5
FIELDS = 30
_KINDS = ("hash(id, {n})", "CAST(hash(id, {n}) AS DOUBLE) / 7", "sha2(CAST(id + {n} AS STRING), 224)")


def _struct() -> str:
    """Numbers, doubles and texts by turns; two of the fields lie in a struct, two in an array, two in a map."""
    plain = [f"'f{n}', {_KINDS[n % len(_KINDS)].format(n=n)}" for n in range(FIELDS - 6)]
    inner = "named_struct('a', hash(id, 90), 'b', hash(id, 91))"
    held = [f"'s', {inner}", f"'l', array({inner})", f"'m', map('k', {inner})"]
    return f"named_struct({', '.join(plain + held)})"


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        tables = Tables(2 * FILES, home, batches_of=())
        rows_sql = f"SELECT id, {_struct()} AS s FROM range(0, {rows}, 1, 2)"
        tables.sql(f"CREATE TABLE d.n AS {rows_sql}")
        yield from _reads(tables)
        yield from _writes(tables, home, rows_sql, rows)


def _reads(tables: Tables) -> Iterator[Figure]:
    plain = _plain_spark()
    files = tables.files("d.n")
    for name, expression in (("a field of a struct", "max(s.f2)"), ("a field in a struct in it", "max(s.s.a)")):
        own, other = (
            _bytes_read(work)
            for work in (
                lambda text=expression: tables.sql(f"SELECT {text} FROM d.n"),
                lambda text=expression: plain.read.parquet(*files).selectExpr(text).collect(),
            )
        )
        yield Figure(f"nested: {name}, MB read by plain Spark", other / 1e6)
        yield Figure(f"nested: {name}, bytes read / plain Spark", own / other, at_most=1.2)


def _writes(tables: Tables, home: Path, rows_sql: str, rows: int) -> Iterator[Figure]:
    plain = _plain_spark()
    tables.sql("CREATE TABLE d.w AS SELECT * FROM d.n LIMIT 0")

    def write_plain() -> None:
        folder = home / secrets.token_hex(4)
        plain.sql(rows_sql).write.parquet(str(folder))
        shutil.rmtree(folder)

    own, other = paired(lambda: tables.sql(f"INSERT OVERWRITE d.w {rows_sql}"), write_plain, rounds=ROUNDS)
    yield Figure(f"nested: {rows:,} rows of {FIELDS} fields, plain Spark, seconds", other)
    yield Figure("nested: writing them / plain Spark", own / other, at_most=1.1)


def _plain_spark() -> Any:
    session = plain_spark()
    session.conf.set("spark.sql.parquet.compression.codec", "zstd")
    return session


def _bytes_read(work: Callable[[], Any]) -> int:
    """What the server reads of files while the work is done once it is warm."""
    work()
    before = _read_by_java()
    work()
    return _read_by_java() - before


def _read_by_java() -> int:
    processes = psutil.Process().children(recursive=True)
    return sum(process.io_counters().read_chars for process in processes if "java" in process.name())
