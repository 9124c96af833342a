"""Tables of Delta in an object store are taken over where they lie, without Spark."""

from __future__ import annotations

import uuid

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from catalog_app.domain.stores import delta_options
from catalog_app.storage.warehouse import Warehouse
from catalog_app.takeover.delta_tables import delta_find
from catalog_app.takeover.locations import Locations
from lakeui.common.errors import InvalidValue, NotFound, PermissionDenied
from tests.support.object_store import Counted, ObjectStore


@pytest.fixture
def theirs(store: ObjectStore) -> str:
    return f"{store.bucket(f'theirs-{uuid.uuid4().hex[:12]}')}/in"


@pytest.fixture
def locations(store: ObjectStore, theirs: str) -> Locations:
    warehouse = Warehouse(f"{store.bucket(f'own-{uuid.uuid4().hex[:12]}')}/lake", store.options)
    return Locations.of(warehouse, [theirs])


def delta(store: ObjectStore, place: str) -> dict[str, str]:
    """Three rows of two partitions, of which one is gone. How the store is reached."""
    options = {**delta_options(store.options), "AWS_S3_ALLOW_UNSAFE_RENAME": "true"}
    rows = pa.table({"id": [1, 2, 3], "r": ["a", "b c", None]})
    write_deltalake(place, rows, partition_by=["r"], storage_options=options)
    DeltaTable(place, storage_options=options).delete("id = 1")
    return options


def test_delta_in_store_counts_files_of_newest_version(store: ObjectStore, theirs: str, locations: Locations) -> None:
    delta(store, f"{theirs}/t")
    with Counted(store, theirs.split("/")[2]) as taken:
        found = delta_find(locations, locations.find(f"s3a{theirs[2:]}/t"))
    assert found.partition_by == ("r",)
    assert [column.name for column in found.columns] == ["id", "r"]
    assert sorted(file.partition for file in found.files if file.partition != (None,)) == [("b c",)]
    assert sum(file.rows for file in found.files) == 2
    assert all(file.path.startswith(f"{theirs}/t/r=") for file in found.files)
    assert set(taken) <= {"GET", "HEAD"}


def test_delta_elsewhere_in_the_store_is_refused(store: ObjectStore, theirs: str, locations: Locations) -> None:
    bucket = theirs.rpartition("/")[0]
    delta(store, f"{bucket}/other/t")
    with pytest.raises(PermissionDenied):
        locations.find(f"{bucket}/other/t")
    with pytest.raises(NotFound):
        delta_find(locations, locations.find(f"{theirs}/none"))


def test_a_damaged_log_in_a_store_is_named(store: ObjectStore, theirs: str, locations: Locations) -> None:
    delta(store, f"{theirs}/t")
    log = locations.files(f"{theirs}/t/_delta_log")[0]
    with locations.warehouse.filesystem.open_output_stream(locations.warehouse.absolute(log.path)) as written:
        written.write(b"{")
    with pytest.raises(InvalidValue, match="log of the table of Delta"):
        delta_find(locations, locations.find(f"{theirs}/t"))
