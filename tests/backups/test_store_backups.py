"""Backups of a lake in an object store, and backups that lie in one."""

from __future__ import annotations

import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from lakeui.runtime.backup_places import MARK as MARK_OF_PLACE
from lakeui.runtime.backup_places import place_locked
from lakeui.runtime.backups import MARK, backup_make, backup_place, backups_list, backups_prune
from tests.backups.conftest import Commands
from tests.backups.test_backups import done, insert, quiet
from tests.stores.conftest import store
from tests.support.lake import Lake
from tests.support.object_store import Counted, ObjectStore

__all__ = ["store"]


@pytest.fixture(scope="module")
def store_environment(store: ObjectStore) -> dict[str, str]:
    return store.environment


@pytest.fixture(scope="module")
def own_warehouse(services: None, store: ObjectStore) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        root = f"{store.bucket(f'lake-{uuid.uuid4().hex[:12]}')}/first"
        patch.setitem(settings.LAKEUI, "WAREHOUSE", root)
        patch.setitem(settings.LAKEUI, "STORE", store.options)
        yield root


@pytest.fixture
def restored(store: ObjectStore) -> str:
    return f"{store.bucket(f'new-{uuid.uuid4().hex[:12]}')}/second"


@pytest.fixture
def address(store: ObjectStore) -> str:
    return f"{store.bucket(f'backups-{uuid.uuid4().hex[:12]}')}/lake"


def test_backup_in_another_bucket_is_restored(
    lake: Lake, commands: Commands, store: ObjectStore, address: str, restored: str
) -> None:
    insert(lake, 1, 2)
    lake.sql("DELETE FROM d.t WHERE id = 1")
    done(commands(["backup", address], here=True))
    (first,) = backups_list(Warehouse(address))
    insert(lake, 3)
    with Counted(store, address.split("/")[2]) as taken:
        call_command("backup", address)
    # One new file, and three of the backup itself.
    assert taken["PUT"] == 4
    second = backups_list(Warehouse(address))[-1]
    assert second.files == first.files + 1
    said = done(commands(["restore", address], ["rows", "main"]))
    assert "rows [2, 3]" in said
    assert f"{lake.catalog}: in order" in said
    assert not Warehouse(restored).exists(MARK)
    at = ["restore", address, "--at", str(first.versions[lake.catalog]), "--catalog", lake.catalog]
    assert "is not empty" in commands(at).stdout


def test_store_is_backed_up_to_folder(lake: Lake, commands: Commands, tmp_path: Path) -> None:
    insert(lake, 1, 2)
    kept = Warehouse(str(tmp_path / "kept"))
    made = backup_make(kept, say=quiet)
    assert made.files == len(list((tmp_path / "kept" / "warehouse").rglob("*.parquet"))) >= 2
    assert "rows [1, 2]" in done(commands(["restore", kept.root], ["rows", "main"]))


@pytest.mark.parametrize("point", ["backup.dumped", "backup.copying", "backup.naming"])
def test_a_killed_backup_in_a_store_is_none(lake: Lake, commands: Commands, address: str, point: str) -> None:
    insert(lake, 1, 2)
    place = Warehouse(address)
    assert commands(["backup", address], kill=point, here=True).returncode == -signal.SIGKILL
    assert backups_list(place) == []
    made = backup_make(place, say=quiet)
    assert {file.path.split("/")[0] for file in place.all_under("")} == {MARK_OF_PLACE, made.name, "warehouse"}
    assert "rows [1, 2]" in done(commands(["restore", address], ["rows", "main"]))


@pytest.mark.parametrize("point", ["backup.copying", "restoring.files", "restoring.loaded"])
def test_a_killed_restore_into_a_store_continues(lake: Lake, commands: Commands, address: str, point: str) -> None:
    insert(lake, 1, 2)
    backup_make(Warehouse(address), say=quiet)
    assert commands(["restore", address], kill=point).returncode == -signal.SIGKILL
    assert "rows [1, 2]" in done(commands(["restore", address], ["rows", "main"]))


def test_what_a_bucket_lost_is_named(lake: Lake, address: str, own_warehouse: str) -> None:
    """Before anything is written: of the backup when it is restored, of the lake when it is backed up."""
    insert(lake, 1)
    place, lake_files = Warehouse(address), Warehouse(own_warehouse)
    backup_make(place, say=quiet)
    (path,) = [file.path for file in place.all_under("warehouse") if lake_files.exists(file.path.partition("/")[2])][:1]
    with place.local_copy(path) as copy:
        content = copy.read_bytes()
    place.write(path, content[:-1])
    with pytest.raises(InvalidValue, match="is not whole: 1 file is missing"):
        call_command("restore", address)
    lost = path.partition("/")[2]
    lake_files.remove(lost)
    with pytest.raises(InvalidValue, match=f"{lost} is not there any more"):
        backup_make(place, say=quiet)
    with pytest.raises(InvalidValue, match=f"{lost} is not there any more"):
        backup_make(place, say=quiet, has_files=False)
    lake_files.write(lost, content)
    assert backup_make(place, say=quiet).files > 0


def test_old_backups_in_store_go_with_their_files(lake: Lake, address: str) -> None:
    place = Warehouse(address)
    for number in range(2):
        insert(lake, number)
        backup_make(place, say=quiet)
    place.write("warehouse/9/stray.parquet", b"")
    assert backups_prune(place, keep=1) == (1, 1)
    assert len(backups_list(place)) == 1


def test_an_address_admits_one_run_at_a_time(lake: Lake, commands: Commands, address: str) -> None:
    with place_locked(Warehouse(address)):
        assert "Another backup or restore works" in commands(["backup", address], here=True).stdout
    done(commands(["backup", address], here=True))


@pytest.mark.parametrize(
    "said", ["oss://bucket/x", "s3://key@bucket/x", "abfss://container/x", "s3://bucket/../x", "s3://"]
)
def test_backups_lie_at_no_other_address(said: str) -> None:
    with pytest.raises(InvalidValue):
        backup_place(said)


def test_backup_lies_outside_and_is_not_linked(lake: Lake, own_warehouse: str, address: str) -> None:
    with pytest.raises(InvalidValue, match="lie in each other"):
        backup_make(Warehouse(f"{own_warehouse}/kept"), say=quiet)
    with pytest.raises(InvalidValue, match="no hard links"):
        backup_make(Warehouse(address), say=quiet, link=True)


def test_places_with_files_of_others_are_refused(lake: Lake, address: str) -> None:
    """A warehouse has numbers as names of folders. What lies below the place goes with old backups."""
    place = Warehouse(address)
    place.write("17/data/a.parquet", b"a")
    with pytest.raises(InvalidValue, match="files that are of no backup, such as 17/data/"):
        backup_make(place, say=quiet)


def test_folders_of_others_stay_at_the_address(lake: Lake, address: str) -> None:
    place = Warehouse(address)
    backup_make(place, say=quiet)
    place.write("17/data/a.parquet", b"a")
    backup_make(place, say=quiet)
    backups_prune(place, keep=1)
    assert place.exists("17/data/a.parquet")
