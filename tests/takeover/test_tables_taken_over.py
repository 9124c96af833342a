"""Tables of others, taken over where they lie: read, changed, branched and merged by lakeui on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings

from tests.e2e.conftest import services
from tests.e2e.lake import Lake
from tests.iceberg.test_engines import Engines, Seen, engines

__all__ = ["engines", "services"]

ROWS = 40
NESTED = pa.struct([("x", pa.int64()), ("y", pa.list_(pa.int32()))])


@pytest.fixture(scope="module")
def lake(engines: Engines) -> Lake:
    return engines.lake


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder whose files statements may read. What it holds in the end is what it held when they began."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "IMPORT_LOCATIONS", (str(tmp_path),))
        yield tmp_path


def found(lake: Lake, query: str, branch: str = "main") -> list[list[Any]]:
    return [list(row) for row in lake.sql(query, branch).rows]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def odd_files(folder: Path) -> None:
    """Files of a table partitioned as Hive does, in folders and with names that must be encoded somewhere."""
    for number, (day, region) in enumerate([("2024-01-31", "a b"), ("2024-01-31", "ü=%"), ("2024-02-01", None)]):
        name = "__HIVE_DEFAULT_PARTITION__" if region is None else region.replace("%", "%25").replace("=", "%3D")
        place = folder / f"day={day}" / f"region={name}"
        place.mkdir(parents=True)
        ids = list(range(number * ROWS, (number + 1) * ROWS))
        columns = {
            "id": pa.array(ids, pa.int32() if number == 0 else pa.int64()),
            "base": pa.array([f"b{i % 3}" for i in ids]),
            "at": pa.array([i * 3_600_000_000 for i in ids], pa.timestamp("us")),
            "s": pa.array([{"x": i, "y": [i, None]} for i in ids], NESTED),
        }
        if number == 2:
            columns["extra"] = pa.array([i * 0.5 for i in ids])
        pq.write_table(pa.table(columns), place / "part 0%20+x.parquet")
    (folder / "_SUCCESS").touch()


def test_parquet_is_read_changed_and_merged(lake: Lake, outside: Path) -> None:
    odd_files(outside)
    before = contents(outside)
    told = lake.sql(f"CREATE TABLE d.p FROM PARQUET '{outside}'")
    assert told.metrics["rows_inserted"] == 3 * ROWS
    assert found(lake, "SELECT count(*), sum(id), sum(s.x), sum(size(s.y)), count(extra), min(base) FROM d.p") == [
        [120, 7140, 7140, 240, 40, "b0"]
    ]
    assert found(lake, "SELECT day, region, min(id) FROM d.p GROUP BY ALL ORDER BY 3") == [
        ["2024-01-31", "a b", 0],
        ["2024-01-31", "ü=%", 40],
        ["2024-02-01", None, 80],
    ]
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.p SET base = 'new', s = named_struct('x', 1L, 'y', array(7)) WHERE id IN (3, 41)", "b")
    lake.sql("DELETE FROM d.p WHERE id % 10 = 7", "b")
    lake.sql("ALTER TABLE d.p RENAME COLUMN at TO moment", "b")
    lake.sql("DELETE FROM d.p WHERE region = 'a b' AND id = 5")
    lake.sql("INSERT INTO d.p (id, day, region) VALUES (500, DATE'2024-02-01', 'a b')")
    lake.sql("MERGE BRANCH main", "b")
    lake.sql("MERGE BRANCH b")
    wanted = [[120 - 12 - 1 + 1, 2, 1]]
    assert found(lake, "SELECT count(*), count_if(base = 'new'), count_if(moment IS NULL) FROM d.p") == wanted
    lake.sql("OPTIMIZE d.p")
    assert found(lake, "SELECT count(*), count_if(base = 'new'), count_if(moment IS NULL) FROM d.p") == wanted
    assert lake.breaches() == []
    lake.sql("DROP TABLE d.p PURGE")
    assert contents(outside) == before


def test_other_engines_read_what_was_taken_over(engines: Engines, outside: Path) -> None:
    lake = engines.lake
    odd_files(outside)
    lake.sql(f"CREATE TABLE d.q FROM PARQUET '{outside}'")
    taken = Seen("main", lake.head())
    lake.sql("DELETE FROM d.q WHERE id = 41")
    lake.sql("UPDATE d.q SET base = 'x' WHERE id = 2")
    lake.sql("ALTER TABLE d.q RENAME COLUMN base TO named")
    lake.sql("ALTER TABLE d.q RENAME COLUMN s.x TO ex")
    lake.sql("ALTER TABLE d.q ADD COLUMN base INT")
    changed = Seen("main", lake.head())
    engines.compare("d.q", taken, changed, others=[taken, changed])
    engines.compare("d.q", changed, condition="id > 50 AND day = '2024-01-31'")
    engines.compare("d.q", others=[changed], condition="id > 50")
