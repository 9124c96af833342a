"""The batch of a first run has no table to lie under: VACUUM finds it all the same where its worker died."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from catalog_app.models import Catalog
from catalog_app.services.retention import RetentionLimits, vacuum_plan
from catalog_app.storage.warehouse import NO_TABLE, Warehouse


def test_a_batch_left_behind_is_removed_once_old(catalog: Catalog, tmp_path: Path) -> None:
    warehouse = Warehouse(str(tmp_path))
    folder = warehouse.new_staging(NO_TABLE)
    warehouse.make_folder(folder)
    (tmp_path / folder / "source.parquet").write_bytes(b"left")
    now = datetime.now(UTC)
    for age, found in ((-timedelta(hours=1), []), (timedelta(hours=1), [f"{folder}/source.parquet"])):
        limits = RetentionLimits(history=now - timedelta(days=30), staged=now + age)
        assert [file.path for file in vacuum_plan(catalog, warehouse, limits).files] == found
