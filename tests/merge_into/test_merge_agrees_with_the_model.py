"""MERGE INTO in both physical modes against the naive model: rows, counts, errors, row diffs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import cycle
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from catalog_app.engine import merge_into, merge_source
from lakeui.common.errors import Cardinality
from tests.merge_into.cases import BY_SOURCE, COLUMNS, KEYS, MATCHED, NOT_MATCHED, Case, Cell, cases, values
from tests.merge_into.model import Outcome, RivalRows, merged
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

TABLES = {"d.read": "merge-on-read", "d.write": "copy-on-write"}
ONE_FILE_A_KIND = tuple(
    tuple((Cell(*key), Cell("'a'", "a"), Cell("0D", 0.0), Cell("NULL", None)) for key in KEYS["DOUBLE"][start:stop])
    for start, stop in ((0, 2), (2, 3), (4, 7))
)
EVERY_KIND = tuple((Cell(*key), Cell("'b'", "b"), Cell("3D", 3.0), Cell("NULL", None)) for key in KEYS["DOUBLE"][:4])
ALL_CLAUSES = (*MATCHED, *NOT_MATCHED, *BY_SOURCE)


EDGES = (
    Case("DOUBLE", ONE_FILE_A_KIND, EVERY_KIND[:3], ALL_CLAUSES, null_safe=True),
    Case("DOUBLE", ONE_FILE_A_KIND, EVERY_KIND, ALL_CLAUSES, null_safe=False),
    Case("DOUBLE", ONE_FILE_A_KIND, (), ALL_CLAUSES, null_safe=False),
    Case("DOUBLE", ((), (), ()), EVERY_KIND, ALL_CLAUSES, null_safe=True),
)


@given(case=cases())
@settings(
    max_examples=100 if IS_SOAK else 6,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
def test_both_modes_do_what_the_model_does(services: None, tables: Iterator[str], case: Case) -> None:
    agree(case, tables)


@pytest.mark.parametrize("case", EDGES)
def test_edge_values_match_as_the_model_says(services: None, tables: Iterator[str], case: Case) -> None:
    agree(case, tables)


@pytest.mark.parametrize("case", EDGES[:2])
def test_many_rows_end_like_few(
    services: None, tables: Iterator[str], case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing passes through this process: the source and the decisions wait in files, Spark writes all rows."""
    monkeypatch.setattr(merge_source, "FEW_ROWS", 0)
    monkeypatch.setattr(merge_into, "FEW_ROWS", 0)
    monkeypatch.setattr(merge_into, "BROADCAST_BYTES", 0)
    agree(case, tables)


@pytest.fixture(scope="module")
def tables() -> Iterator[str]:
    """One mode after the other: each case is tried in one, and in both by ``make soak``."""
    return cycle(TABLES)


def agree(case: Case, tables: Iterator[str]) -> None:
    chosen = tuple(TABLES) if IS_SOAK else (next(tables),)
    lake = make(case, chosen)
    expected: Outcome | None = None
    with suppress(RivalRows):
        expected = merged(case.target, _source(case), case.clauses, key="k", null_safe=case.null_safe)
    for table in chosen:
        before, version = answers(lake, table), lake.head()
        if expected is None:
            with pytest.raises(Cardinality):
                lake.sql(case.statement(table))
            assert answers(lake, table) == before
            assert lake.head() == version
        else:
            check(lake, table, case, expected)
    assert lake.breaches() == []


def _source(case: Case) -> list[dict[str, Any]]:
    return [dict(zip(COLUMNS, (cell.answer for cell in line), strict=True)) for line in case.source]


def make(case: Case, tables: Sequence[str]) -> Lake:
    """The tables with the case's rows, and the source."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    kinds = dict(zip(COLUMNS, case.types, strict=True))
    columns = ", ".join(f"{name} {kind}" for name, kind in kinds.items()).replace("n DOUBLE", "n DOUBLE DEFAULT 7")
    for table in tables:
        lake.sql(f"CREATE TABLE {table} ({columns}) TBLPROPERTIES ('write.merge.mode' = '{TABLES[table]}')")
        for part in case.parts:
            if part:
                lake.sql(f"INSERT INTO {table} {values(part)}")
    lake.sql(f"CREATE TABLE d.s ({columns})")
    if case.source:
        lake.sql(f"INSERT INTO d.s {values(case.source)}")
    return lake


def check(lake: Lake, table: str, case: Case, expected: Outcome) -> None:
    version = lake.head()
    metrics = lake.sql(case.statement(table)).metrics
    assert answers(lake, table) == Counter(repr([row[name] for name in COLUMNS]) for row in expected.rows)
    counts = {"rows_updated": expected.updated, "rows_deleted": expected.deleted, "rows_inserted": expected.inserted}
    assert {name: metrics[name] for name in counts} == counts
    changed = expected.updated + expected.deleted + expected.inserted
    assert (lake.head() > version) == (changed > 0)
    assert (metrics["bytes_written"] > 0) <= (changed > 0)
    if changed:
        found = lake.sql(f"SHOW CHANGES {table} FROM VERSION {version} TO VERSION {lake.head()}").rows
        kinds = Counter(row[0] for row in found)
        assert (kinds["insert"], kinds["delete"]) == (expected.inserted, expected.deleted)
        assert kinds["update_after"] <= expected.updated


def answers(lake: Lake, table: str) -> Counter[str]:
    return Counter(repr(row) for row in lake.sql(f"SELECT * FROM {table}").rows)
