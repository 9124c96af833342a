"""catalog_check finds a row that is live in two files of a table on one branch."""

from __future__ import annotations

from catalog_app.domain.files import FileScan
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.integrity import catalog_check
from tests.support.lake import Lake
from tests.support.memory_engine import MemoryEngine


def test_image_beside_row_it_replaces_is_a_breach(database: None, memory_engine: MemoryEngine) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'a')")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 2")

    def row_ids_without_deletes(file: FileScan) -> range:
        return range(file.base, file.base + file.rows) if not file.stores_row_ids else range(1, 2)

    catalog = catalog_get(lake.catalog)
    assert catalog_check(catalog, row_ids_of=memory_engine.live_row_ids) == []
    (breach,) = catalog_check(catalog, row_ids_of=row_ids_without_deletes)
    assert breach == "on branch main: row 1 of table t lives twice"
