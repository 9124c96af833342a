"""What describes tables to other engines goes when no one asks for it, and never under a reader."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from catalog_app.models import PublishedFile, PublishedTable
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services import retention
from catalog_app.services.retention import RetentionLimits, VacuumPlan, vacuum_plan, vacuum_run
from catalog_app.storage.warehouse import Warehouse
from tests.iceberg.conftest import IcebergLake


def at_once() -> RetentionLimits:
    """Nothing is retained."""
    now = timezone.now()
    return RetentionLimits(history=now, staged=now)


def vacuum(lake: IcebergLake) -> list[str]:
    """The paths that went."""
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    plan = vacuum_run(catalog_get(lake.catalog), warehouse, at_once(), record=lambda plan: None)
    return [file.path for file in plan.files]


def on_disk(lake: IcebergLake) -> set[str]:
    root = Path(settings.LAKEUI["WAREHOUSE"])
    return {str(path.relative_to(root)) for path in (root / str(lake.table_id) / "iceberg").glob("*")}


def load(lake: IcebergLake) -> Any:
    return lake.ask("namespaces/d/tables/t?snapshots=refs")


def age(**ago: float) -> None:
    PublishedTable.objects.update(published_at=timezone.now() - timedelta(**ago))
    PublishedFile.objects.update(used_at=timezone.now() - timedelta(**ago))


def test_published_files_stay_a_day_whatever_the_retention(lake: IcebergLake) -> None:
    load(lake)
    made = on_disk(lake)
    age(hours=23)
    assert len(made) == 3
    assert vacuum(lake) == []
    assert on_disk(lake) == made


def test_unrequested_files_go_and_are_made_again(lake: IcebergLake) -> None:
    first = load(lake)
    made = on_disk(lake)
    age(hours=25)
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    planned = vacuum_plan(catalog_get(lake.catalog), warehouse, at_once())
    assert {(file.path, file.reason) for file in planned.files} == {
        (path, "no other engine asked for it lately") for path in made
    }
    assert on_disk(lake) == made
    assert set(vacuum(lake)) == made
    assert on_disk(lake) == set()
    assert not PublishedTable.objects.exists()
    again = load(lake)
    assert again["metadata-location"] != first["metadata-location"]
    assert len(on_disk(lake)) == 3


def test_the_retention_counts_where_it_is_longer(lake: IcebergLake) -> None:
    load(lake)
    age(days=5)
    warehouse, month = Warehouse(settings.LAKEUI["WAREHOUSE"]), timezone.now() - timedelta(days=30)
    limits = RetentionLimits(history=month, staged=timezone.now())
    assert vacuum_plan(catalog_get(lake.catalog), warehouse, limits).files == ()


def test_what_is_asked_for_while_vacuum_looks_stays(lake: IcebergLake, monkeypatch: pytest.MonkeyPatch) -> None:
    load(lake)
    made = on_disk(lake)
    age(hours=25)
    plan = retention.vacuum_plan

    def asked_meanwhile(*given: Any) -> VacuumPlan:
        found = plan(*given)
        load(lake)
        return found

    monkeypatch.setattr(retention, "vacuum_plan", asked_meanwhile)
    assert vacuum(lake) == []
    assert on_disk(lake) == made


def test_a_written_file_never_registered_goes(lake: IcebergLake) -> None:
    load(lake)
    made = on_disk(lake)
    path = f"{lake.table_id}/iceberg/cut-off.avro"
    Warehouse(settings.LAKEUI["WAREHOUSE"]).write(path, b"x")
    assert vacuum(lake) == [path]
    assert on_disk(lake) == made


def test_of_two_concurrent_makers_one_file_stays(lake: IcebergLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process is done when this one has written its file."""
    write = Warehouse.write
    inside: list[str] = []

    def other_first(self: Warehouse, path: str, content: bytes) -> None:
        if not inside:
            inside.append(path)
            load(lake)
        write(self, path, content)

    monkeypatch.setattr(Warehouse, "write", other_first)
    load(lake)
    assert inside[0] not in on_disk(lake)
    assert on_disk(lake) == set(PublishedFile.objects.values_list("path", flat=True))
    assert len(on_disk(lake)) == 3
