"""Table d.t with columns id, v and maybe p: statements on its rows, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow.parquet as pq

from catalog_app.domain.files import FileScan
from catalog_app.engine.engine import Engine
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.segments import table_scan
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.frontdoor.compute import engine
from tests.support.lake import Lake
from tests.support.lake_memory_engine import LakeMemoryEngine

MODES = ("merge-on-read", "copy-on-write")
OPTIMIZE = "OPTIMIZE d.t"


def properties(mode: str) -> str:
    return ", ".join(f"'write.{statement}.mode' = '{mode}'" for statement in ("merge", "update", "delete"))


def three_files_create(lake: Lake, mode: str = MODES[0]) -> Lake:
    """Table d.t with rows 1 and 2, 3 and 4, 5 and 6 in a file each, and branch b."""
    lake.sql(f"CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ({properties(mode)})")
    for first in (1, 3, 5):
        lake.sql(f"INSERT INTO d.t VALUES ({first}, 'o'), ({first + 1}, 'o')")
    lake.sql("CREATE BRANCH b")
    return lake


def run(lake: Lake, branch: str, *statements: str) -> None:
    for statement in statements:
        lake.sql(statement, branch)


def rows(lake: Lake, branch: str = "main") -> str:
    found = lake.sql("SELECT * FROM d.t ORDER BY id", branch).rows
    return " ".join("".join(str(value) for value in row) for row in found)


def row_ids(lake: Lake, branch: str = "main") -> dict[int, int]:
    """Row id by ``id``."""
    snapshot = branch_snapshot(branch_get(catalog_get(lake.catalog), branch))
    scan = table_scan(snapshot, table_get(snapshot, database_get(snapshot, "d"), "t"))

    used: Any = engine()
    if isinstance(used, LakeMemoryEngine):
        found = used.row_ids(scan, "id")
    else:
        found = [pair for file in scan.files for pair in _row_ids(used, file)]
    assert len({row_id for _, row_id in found}) == len(found)
    return dict(found)


def _row_ids(used: Engine, file: FileScan) -> Iterator[tuple[int, int]]:
    """The values of ``id`` and the row ids of the live rows of a file, without Spark."""
    places = used._warehouse.absolute(file.path)
    read = pq.read_table(places, columns=["id"], filesystem=used._warehouse.filesystem, partitioning=None)
    row_ids, _ = used.file_rows(file)
    gone = {int(position) for path in file.delete_paths for position in used.file_marks(path)[0]}
    for position, value in enumerate(read.column(0).to_pylist()):
        if position not in gone:
            yield value, int(row_ids[position])


def set_v(value: str, *numbers: int) -> str:
    return f"UPDATE d.t SET v = '{value}' WHERE id IN ({', '.join(map(str, numbers))})"


def delete(*numbers: int) -> str:
    return f"DELETE FROM d.t WHERE id IN ({', '.join(map(str, numbers))})"


def upsert(value: str, *numbers: int) -> str:
    """Rows of these numbers get the value; those that are not there are inserted."""
    source = ", ".join(f"({number}, '{value}')" for number in numbers)
    return (
        f"MERGE INTO d.t USING (VALUES {source}) s(id, v) ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


def remove(*numbers: int) -> str:
    source = ", ".join(f"({number})" for number in numbers)
    return f"MERGE INTO d.t USING (VALUES {source}) s(id) ON t.id = s.id WHEN MATCHED THEN DELETE"
