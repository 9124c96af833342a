"""Rows that differ between two snapshots, found without Spark: they are what Spark finds, and all else is Spark's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from catalog_app.domain.files import TableScan
from catalog_app.domain.schema import Column
from catalog_app.engine import plain_changes
from catalog_app.engine.answers import collect
from catalog_app.engine.inputs_outputs import QueryResult
from catalog_app.engine.row_diff import changes_dataframe, files_masked
from catalog_app.engine.session import SparkSessions
from tests.engine.conftest import lake_in
from tests.engine.lake import Lake, schema_of
from tests.engine.test_plain_cells import KINDS, ROWS

EVERY = 100_000


def by_spark(lake: Lake, before: TableScan, after: TableScan, limit: int) -> QueryResult:
    found: QueryResult = lake.engine._sessions.run(
        lambda spark: collect(changes_dataframe(spark, lake.warehouse, before, after), limit=limit)
    )
    return found


def here(lake: Lake, before: TableScan, after: TableScan, limit: int) -> QueryResult | None:
    return plain_changes.plain_changes(lake.warehouse, before, after, limit=limit)


@pytest.fixture(scope="module")
def history(sessions: SparkSessions, tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, Sequence[TableScan]]:
    """A table of plain types after each of its changes. No test changes it."""
    lake = lake_in(tmp_path_factory.mktemp("history"), sessions)
    lake.schema = schema_of(*KINDS)
    seen = [lake.scan()]

    def done(_: Any) -> None:
        seen.append(lake.scan())

    done(lake.values(*ROWS))
    done(lake.values(*ROWS[::-1]))
    named = ", ".join(f"`{column.name}`" for column in lake.schema.columns)
    numbered = named.replace("`id`", "CAST(id + 10 * i AS INT) AS id")
    done(lake.query(f"SELECT {numbered} FROM __lake_0, (SELECT explode(sequence(1, 9)) AS i)"))
    done(lake.delete("id = 3"))
    done(lake.update("id IN (1, 12)", n="n + 1"))
    done(lake.delete("id IN (4, 14, 22)"))
    done(lake.update("id IN (1, 31)", Name="NULL", d="double('NaN')"))
    whole = lake.scan()
    lake.files = []
    lake.add(lake.engine.compact(whole, target_bytes=1 << 30))
    done(None)
    done(lake.delete(None))
    return lake, seen


def test_two_snapshots_differ_as_spark_says(history: tuple[Lake, Sequence[TableScan]]) -> None:
    lake, seen = history
    for one, before in enumerate(seen):
        for other in {one + 1, one - 2} & set(range(len(seen))):
            found = here(lake, before, seen[other], EVERY)
            assert found is not None
            assert repr(found) == repr(by_spark(lake, before, seen[other], EVERY)), (one, other)
            first = here(lake, before, seen[other], 3)
            assert repr(first) == repr(replace(found, rows=found.rows[:3], truncated=len(found.rows) > 3))


def test_branches_with_deletes_of_their_own(sessions: SparkSessions, tmp_path: Path) -> None:
    """Of a file that both have, the rows are read that one of them deleted, and no others."""
    lake = lake_in(tmp_path, sessions)
    lake.schema = schema_of("id int", "v string")
    lake.query("SELECT CAST(id AS INT) AS id, 'a' AS v FROM range(2000)")
    lake.delete("id = 7")
    forked = list(lake.files)
    lake.delete("id IN (3, 4)")
    lake.update("id = 1", v="'here'")
    one = lake.scan()
    lake.files = forked
    lake.delete("id IN (4, 14)")
    lake.update("id IN (1, 5)", v="'there'")
    other = lake.scan()
    expected = [(1, "update"), (3, "insert"), (5, "update"), (14, "delete")]
    for before, after in ((one, other), (other, one)):
        found = here(lake, before, after, EVERY)
        assert found is not None
        assert repr(found) == repr(by_spark(lake, before, after, EVERY))
        names = {(row[2], row[0].partition("_")[0]) for row in found.rows}
        assert {identifier for identifier, _ in names} == {identifier for identifier, _ in expected}
        if before is one:
            assert sorted(names) == expected
        read = [
            len(plain_changes._side(lake.warehouse, *side).ids)
            for side in ((before, files_masked(before, after)), (after, files_masked(after, before)))
        ]
        assert max(read) <= 4


def test_engine_starts_no_job_for_few_rows(
    history: tuple[Lake, Sequence[TableScan]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, seen = history
    monkeypatch.setattr(type(lake.engine._sessions), "run", lambda *_: pytest.fail("Spark was asked"))
    assert lake.engine.changes(seen[0], seen[1], limit=2).truncated
    assert [row[0] for row in lake.engine.changes(seen[4], seen[5], limit=2).rows] == ["update_before", "update_after"]


def test_many_rows_are_left_to_spark(
    history: tuple[Lake, Sequence[TableScan]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, seen = history
    compacted = seen[-3], seen[-2]
    found = here(lake, *compacted, 10)
    assert found is not None
    assert found.rows == []
    monkeypatch.setattr(plain_changes, "MOST_COMPARED", 10)
    assert here(lake, *compacted, 10) is None
    assert here(lake, seen[0], seen[1], 10) is not None
    monkeypatch.setattr(plain_changes, "MOST_ROWS", 3)
    assert here(lake, seen[0], seen[1], 10) is None


def test_other_columns_are_left_to_spark(history: tuple[Lake, Sequence[TableScan]]) -> None:
    lake, seen = history
    wider = replace(seen[2], schema=replace(lake.schema, columns=(*lake.schema.columns, Column(99, "later", "int"))))
    assert here(lake, seen[1], wider, 10) is None
    nested = replace(lake.schema, columns=(*lake.schema.columns, Column(99, "later", "array<int>")))
    assert here(lake, replace(seen[1], schema=nested), replace(seen[2], schema=nested), 10) is None


def test_lost_file_is_left_to_spark(history: tuple[Lake, Sequence[TableScan]]) -> None:
    lake, seen = history
    lost = replace(seen[1], files=tuple(replace(file, path=f"{file.path}.lost") for file in seen[1].files))
    assert here(lake, seen[0], lost, 10) is None
