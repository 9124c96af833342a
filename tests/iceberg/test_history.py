"""The versions of a table that its metadata list, as PyIceberg reads them. Rows lie in no files."""

from __future__ import annotations

from typing import Any

import pytest
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.io import load_file_io
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadataUtil

from catalog_app.iceberg.metadata import with_history
from catalog_app.models import Branch
from catalog_app.services import publishing_history
from tests.iceberg.conftest import IcebergLake


def metadata(lake: IcebergLake, ref: str = "main", *, asked: str = "") -> dict[str, Any]:
    found: dict[str, Any] = lake.ask(f"namespaces/d/tables/t{asked}", ref)["metadata"]
    return found


def opened(said: dict[str, Any]) -> Table:
    return Table(("d", "t"), TableMetadataUtil.parse_obj(said), "", load_file_io({}), NoopCatalog("c"))


def files(table: Table, **scan: Any) -> set[str]:
    return {task.file.file_path for task in table.scan(**scan).plan_files()}


def versions(said: dict[str, Any]) -> list[int]:
    return [item["snapshot-id"] for item in said["snapshots"]]


def head(lake: IcebergLake) -> int:
    return int(lake.branch("main").head_version)


def test_each_version_lists_its_own_files(lake: IcebergLake) -> None:
    for _ in range(3):
        lake.insert("main", 1)
    said = metadata(lake)
    table = opened(said)
    assert versions(said)[-3:] == [head(lake) - 2, head(lake) - 1, head(lake)]
    for version in versions(said):
        assert files(table, snapshot_id=version) == files(opened(metadata(lake, f"version:{version}")))
    assert [len(files(table, snapshot_id=version)) for version in versions(said)[-3:]] == [2, 3, 4]
    assert files(table) == files(table, snapshot_id=head(lake))
    assert [item["parent-snapshot-id"] for item in said["snapshots"][1:]] == versions(said)[:-1]
    assert [entry["snapshot-id"] for entry in said["snapshot-log"]] == versions(said)


def test_a_branch_lists_versions_of_its_parent(lake: IcebergLake) -> None:
    before = versions(metadata(lake))
    lake.sql("CREATE BRANCH b")
    lake.insert("b", 1)
    lake.insert("main", 1)
    assert versions(metadata(lake, "b")) == [*before, lake.branch("b").head_version]


def test_a_tag_is_a_reference(lake: IcebergLake) -> None:
    """To the version of the table that the tag shows, whatever other tables changed since."""
    lake.insert("main", 1)
    tagged = head(lake)
    lake.sql("CREATE TABLE d.other (id INT)")
    lake.sql("CREATE TAG shown")
    lake.insert("main", 1)
    said = metadata(lake)
    assert said["refs"]["shown"] == {"snapshot-id": tagged, "type": "tag"}
    assert said["refs"]["main"] == {"snapshot-id": head(lake), "type": "branch"}
    table = opened(said)
    found = table.snapshot_by_name("shown")
    assert found is not None
    assert files(table, snapshot_id=found.snapshot_id) == files(opened(metadata(lake, "tag:shown")))


def test_versions_keep_their_columns(lake: IcebergLake) -> None:
    first = versions(metadata(lake))[-1]
    lake.sql("ALTER TABLE d.t ADD COLUMN (n INT)")
    said = metadata(lake)
    table = opened(said)
    then = [field.name for field in table.scan(snapshot_id=first).projection().fields]
    assert [field.name for field in table.scan().projection().fields] == [*then, "n"]
    lake.sql("ALTER TABLE d.t DROP COLUMN n")
    again = metadata(lake)
    assert [item["schema-id"] for item in again["snapshots"][-3:]] == [0, 1, 0]
    assert again["current-schema-id"] == 0
    assert again["last-column-id"] == said["last-column-id"]


@pytest.mark.parametrize("differs", [{"location": "elsewhere"}, {"format-version": 9}])
def test_versions_laid_otherwise_are_not_listed(lake: IcebergLake, differs: dict[str, Any]) -> None:
    """The names by which files are read are said once for all snapshots."""
    lake.insert("main", 1)
    now, then = (
        metadata(lake, f"version:{version}", asked="?snapshots=refs") for version in (head(lake), head(lake) - 1)
    )
    assert len(with_history(now, [then], {})["snapshots"]) == 2
    assert with_history(now, [then | differs], {}) == {**now, "schemas": [{**now["schemas"][0], "schema-id": 0}]}


def test_versions_list_their_partitions_beside_each_other(lake: IcebergLake) -> None:
    """A specification has one number in all versions. That of the newest is the default."""
    lake.insert("main", 1)
    before = metadata(lake)
    lake.sql("ALTER TABLE d.t ADD PARTITION FIELD bucket(4, id)")
    lake.insert("main", 1)
    said = metadata(lake)
    assert [item["snapshot-id"] for item in said["snapshots"]][: len(versions(before))] == versions(before)
    specs = {spec["spec-id"]: [field["transform"] for field in spec["fields"]] for spec in said["partition-specs"]}
    assert specs[said["default-spec-id"]] == ["bucket[4]"]
    assert (specs[0], before["default-spec-id"]) == ([], 0)
    assert said["last-partition-id"] == max(f["field-id"] for spec in said["partition-specs"] for f in spec["fields"])
    table = opened(said)
    for version in versions(said):
        assert files(table, snapshot_id=version) == files(opened(metadata(lake, f"version:{version}")))


@pytest.mark.parametrize("text", ["DROP COLUMN n", "ADD COLUMN (n_bucket_4 INT)"])
def test_versions_with_misnamed_partitions_are_not_listed(lake: IcebergLake, text: str) -> None:
    """Their column is gone, or another one is called as their field."""
    for change in ("ADD COLUMN (n INT)", "ADD PARTITION FIELD bucket(4, n)"):
        lake.sql(f"ALTER TABLE d.t {change}")
    lake.insert("main", 1)
    laid = head(lake)
    lake.sql("ALTER TABLE d.t DROP PARTITION FIELD bucket(4, n)")
    assert laid in versions(metadata(lake))
    lake.sql(f"ALTER TABLE d.t {text}")
    found = versions(metadata(lake))
    assert laid not in found
    assert {head(lake), laid - 2} <= set(found)


def test_only_the_newest_are_listed(lake: IcebergLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing_history, "VERSIONS", 2)
    for _ in range(3):
        lake.insert("main", 1)
    assert versions(metadata(lake)) == [head(lake) - 1, head(lake)]
    assert versions(metadata(lake, asked="?snapshots=refs")) == [head(lake)]


def test_of_large_tables_kept_versions_are_listed(lake: IcebergLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing_history, "MOST_FILES", 0)
    lake.insert("main", 1)
    known = versions(metadata(lake))
    lake.insert("main", 1)
    lake.insert("main", 1)
    assert versions(metadata(lake)) == [known[-1], head(lake)]


def test_expired_versions_are_not_listed(lake: IcebergLake) -> None:
    for _ in range(3):
        lake.insert("main", 1)
    Branch.objects.filter(pk=lake.branch("main").pk).update(oldest_version=head(lake) - 1)
    assert versions(metadata(lake)) == [head(lake) - 1, head(lake)]
