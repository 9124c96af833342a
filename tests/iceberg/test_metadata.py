"""Table metadata: what PyIceberg makes of them, and what is kept of one version for the next. Rows lie in no files."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import fastavro
import numpy as np
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from pyiceberg.manifest import ManifestContent
from pyiceberg.table import StaticTable
from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file
from pyiceberg.table.puffin import PuffinFile

from catalog_app.models import DeleteFile, PublishedFile, PublishedTable, Segment, SegmentDelete
from catalog_app.selectors.segments import files_load
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.storage.deletes import write_deletes
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.tables import columns
from merge_app.execution.apply import CommitHeader, commit_write
from tests.iceberg.conftest import IcebergLake


def loaded(lake: IcebergLake, ref: str = "main", table: str = "t") -> dict[str, Any]:
    found: dict[str, Any] = lake.ask(f"namespaces/d/tables/{table}?snapshots=refs", ref)
    return found


def opened(answer: dict[str, Any]) -> StaticTable:
    return StaticTable.from_metadata(answer["metadata-location"])


def paths(lake: IcebergLake) -> set[str]:
    return set(PublishedFile.objects.filter(table_id=lake.table_id).values_list("path", flat=True))


def on_disk(lake: IcebergLake) -> set[str]:
    root = Path(settings.LAKEUI["WAREHOUSE"])
    return {str(path.relative_to(root)) for path in (root / str(lake.table_id) / "iceberg").glob("*")}


def test_pyiceberg_plans_the_files_of_the_branch(lake: IcebergLake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.insert("b", 3)
    answer = loaded(lake, "b")
    assert answer["config"] == {}
    table = opened(answer)
    assert answer["metadata"]["current-snapshot-id"] == lake.branch("b").head_version
    files = [task.file for task in table.scan().plan_files()]
    root = f"file://{settings.LAKEUI['WAREHOUSE']}/{lake.table_id}/"
    assert sorted(file.file_path for file in files) == [f"{root}{base}" for base in (0, 1000, 2000, 3000)]
    assert {(file.record_count, file.file_size_in_bytes, file.null_value_counts[1]) for file in files} == {
        (1000, 20000, 0)
    }
    assert [len(list(table.scan(row_filter=text).plan_files())) for text in ("id > 998", "id > 999")] == [4, 0]
    assert len(list(opened(loaded(lake)).scan().plan_files())) == 1


def test_the_same_version_is_answered_from_kept_metadata(lake: IcebergLake) -> None:
    first = loaded(lake)
    files = paths(lake)
    assert loaded(lake) == first
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE TABLE d.other (id INT)")
    assert loaded(lake, "b") == loaded(lake) == first
    assert paths(lake) == files == on_disk(lake)


def test_one_more_commit_writes_its_part_only(lake: IcebergLake) -> None:
    lake.insert("main", 3000)
    before = {listed.manifest_path for listed in opened(loaded(lake)).current_snapshot().manifests(_io(lake))}
    lake.insert("main", 1)
    after = {listed.manifest_path for listed in opened(loaded(lake)).current_snapshot().manifests(_io(lake))}
    assert len(before) > 5
    assert len(after - before) == 1
    assert len(list(opened(loaded(lake)).scan().plan_files())) == 3002


def _io(lake: IcebergLake) -> Any:
    return opened(loaded(lake)).io


def delete(lake: IcebergLake, *positions: int, branch: str = "main") -> None:
    """A commit that takes rows out of the first file."""
    at = lake.branch(branch)
    segment = Segment.objects.filter(table_id=lake.table_id).order_by("pk").first()
    assert segment is not None
    (file,) = files_load(lake.table_id, [segment.file_id], [branch_snapshot(at)]).values()
    gone = np.array(positions, dtype=np.int64)
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    new = write_deletes(warehouse, table_id=lake.table_id, file=file, positions=gone, row_ids=gone + file.base)
    with transaction.atomic():
        commit = commit_write(at, CommitHeader("DELETE")).commit
        made = DeleteFile.objects.create(
            table_id=lake.table_id, data_file_id=segment.file_id, path=new.path, rows=new.rows, bytes=new.bytes
        )
        SegmentDelete.objects.create(
            table_id=lake.table_id,
            branch_id=at.pk,
            segment=segment,
            delete_file=made,
            attached_version=commit.version,
            stamp=commit.version,
            kind="delete",
        )


def deletes(lake: IcebergLake, ref: str = "main") -> list[tuple[str, list[dict[str, Any]]]]:
    """By data file that has deletes, the rows of its delete files."""
    planned = opened(loaded(lake, ref)).scan().plan_files()
    return [
        (task.file.file_path, pq.read_table(file.file_path.removeprefix("file://")).to_pylist())
        for task in planned
        for file in task.delete_files
    ]


def test_one_delete_file_names_its_data_file(lake: IcebergLake) -> None:
    lake.insert("main", 2)
    assert deletes(lake) == []
    delete(lake, 7, 3)
    lake.sql("CREATE BRANCH b")
    delete(lake, 7, 9)
    path = f"file://{settings.LAKEUI['WAREHOUSE']}/{lake.table_id}/0"

    def marked(*positions: int) -> list[tuple[str, list[dict[str, Any]]]]:
        return [(path, [{"file_path": path, "pos": position} for position in positions])]

    assert deletes(lake) == marked(3, 7, 9)
    assert deletes(lake, "b") == marked(3, 7)
    totals = loaded(lake)["metadata"]["snapshots"][0]["summary"]
    assert (totals["total-delete-files"], totals["total-position-deletes"]) == ("1", "3")


def with_vectors(lake: IcebergLake, ref: str = "main") -> dict[str, Any]:
    answer: dict[str, Any] = lake.ask("namespaces/d/tables/t?format-version=3&snapshots=refs", ref)
    return answer


def entries(answer: dict[str, Any], content: ManifestContent) -> list[dict[str, Any]]:
    """The files of the manifests, in order, as Avro has them: PyIceberg does not show all that it reads."""
    table = opened(answer)
    manifests = table.current_snapshot().manifests(table.io)
    found: list[dict[str, Any]] = []
    for manifest in manifests:
        if manifest.content == content:
            with Path(manifest.manifest_path.removeprefix("file://")).open("rb") as stream:
                found += [entry["data_file"] for entry in fastavro.reader(stream)]
    return found


def test_version_3_has_vectors_and_row_ids(lake: IcebergLake) -> None:
    lake.insert("main", 2)
    delete(lake, 7, 3)
    lake.sql("CREATE BRANCH b")
    delete(lake, 9)
    answer, on_branch = with_vectors(lake), with_vectors(lake, "b")
    metadata = answer["metadata"]
    assert (metadata["format-version"], metadata["next-row-id"]) == (3, 3000)
    (snapshot,) = metadata["snapshots"]
    assert (snapshot["first-row-id"], snapshot["added-rows"]) == (3000, 0)
    assert snapshot["summary"]["total-position-deletes"] == "3"
    assert [file["first_row_id"] for file in entries(answer, ManifestContent.DATA)] == [0, 1000, 2000]
    path = f"file://{settings.LAKEUI['WAREHOUSE']}/{lake.table_id}/0"
    for found, gone in ((answer, [3, 7, 9]), (on_branch, [3, 7])):
        (file,) = entries(found, ManifestContent.DELETES)
        assert (file["file_format"], file["record_count"]) == ("PUFFIN", len(gone))
        assert (file["referenced_data_file"], file["first_row_id"]) == (path, None)
        content = Path(file["file_path"].removeprefix("file://")).read_bytes()
        assert len(content) == file["file_size_in_bytes"]
        (blob,) = PuffinFile(content).footer.blobs
        assert (blob.offset, blob.length) == (file["content_offset"], file["content_size_in_bytes"])
        (vector,) = deletion_vectors_from_puffin_file(PuffinFile(content))
        assert vector.to_vector().to_pylist() == gone


def test_a_row_has_its_deciding_commits_number(lake: IcebergLake) -> None:
    """A merge takes in files with the stamps that they have."""
    lake.insert("main", 1)
    segment = Segment.objects.filter(table_id=lake.table_id).latest("pk")
    written, segment.pk = segment.added_version, None
    with transaction.atomic():
        segment.added_version = commit_write(lake.branch("main"), CommitHeader("MERGE BRANCH")).commit.version
        segment.stamp = written
        segment.save()
    table = opened(with_vectors(lake))
    # Which files share a manifest depends on their ids.
    manifests = table.current_snapshot().manifests(table.io)
    listed = [(manifest, entry) for manifest in manifests for entry in manifest.fetch_manifest_entry(table.io)]
    manifest, entry = max(listed, key=lambda item: item[1].file_sequence_number)
    assert (entry.sequence_number, entry.file_sequence_number) == (written, segment.added_version)
    assert manifest.min_sequence_number <= written < manifest.sequence_number


def test_both_format_versions_are_kept_together(lake: IcebergLake) -> None:
    delete(lake, 7)
    old, new = loaded(lake), with_vectors(lake)
    assert (old["metadata"]["format-version"], new["metadata"]["format-version"]) == (2, 3)
    assert (loaded(lake), with_vectors(lake)) == (old, new)
    assert lake.ask("namespaces/d/tables/t?format-version=2&snapshots=refs") == old
    assert deletes(lake) == [(f"file://{settings.LAKEUI['WAREHOUSE']}/{lake.table_id}/0", ANY)]
    assert "next-row-id" not in old["metadata"]
    assert on_disk(lake) == paths(lake)
    assert (
        "format-version takes 2 or 3, not '4'" in lake.error("namespaces/d/tables/t?format-version=4", 400)["message"]
    )


def test_a_property_chooses_a_tables_format_version(lake: IcebergLake) -> None:
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('format-version' = '3', 'k' = 'v')")
    metadata = loaded(lake)["metadata"]
    assert (metadata["format-version"], metadata["properties"]) == (3, {"k": "v"})
    assert lake.ask("namespaces/d/tables/t?format-version=2")["metadata"]["format-version"] == 2
    for value in ("1", "v3"):
        with pytest.raises(InvalidValue, match="format-version cannot be"):
            lake.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('format-version' = '{value}')")


DEFAULTS = [
    ("n INT DEFAULT 5", 5),
    ("n BIGINT DEFAULT -7", -7),
    ("n STRING DEFAULT 'a\"b'", 'a"b'),
    ("n BOOLEAN DEFAULT true", True),
    ("n DATE DEFAULT DATE'2024-02-29'", "2024-02-29"),
    ("n DECIMAL(9, 2) DEFAULT 1.5", "1.50"),
]


@pytest.mark.parametrize(("column", "default"), DEFAULTS)
def test_version_3_says_what_older_rows_read_as(
    lake: IcebergLake, monkeypatch: pytest.MonkeyPatch, column: str, default: Any
) -> None:
    monkeypatch.setattr(columns, "defaults_check", lambda _: None)
    lake.sql(f"ALTER TABLE d.t ADD COLUMN ({column})")
    answer = with_vectors(lake)
    (field,) = (item for item in answer["metadata"]["schemas"][0]["fields"] if item["name"] == "n")
    assert field["initial-default"] == default
    assert opened(answer).schema().find_field("n").initial_default is not None
    assert "read as its default" in lake.error("namespaces/d/tables/t", 400)["message"]


def test_attributes_are_those_of_the_version(lake: IcebergLake) -> None:
    old = loaded(lake)["metadata"]
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'v', 'comment' = 'rows', 'schema.name-mapping.default' = '[]')")
    lake.sql("ALTER TABLE d.t ADD COLUMN (s STRUCT<a: INT, l: ARRAY<DATE>, m: MAP<STRING, DECIMAL(9, 2)>>)")
    lake.sql("ALTER TABLE d.t RENAME COLUMN id TO key")
    new = loaded(lake)["metadata"]
    assert new["properties"] == {"k": "v", "comment": "rows"}
    table = opened(loaded(lake))
    assert str(table.schema().find_field("s.m.value").field_type) == "decimal(9, 2)"
    assert table.schema().find_field("key").field_id == 1
    ids = [table.schema().find_field(name).field_id for name in ("s", "s.a", "s.l", "s.l.element", "s.m.key")]
    assert len({*ids, 1}) == 6
    assert max(ids) < new["last-column-id"] + 1
    assert (old["table-uuid"], old["location"]) == (new["table-uuid"], new["location"])
    assert [field["name"] for field in old["schemas"][0]["fields"]] == ["id"]


def test_an_empty_table_has_a_version_without_files(lake: IcebergLake) -> None:
    lake.sql("CREATE TABLE d.empty (id BIGINT NOT NULL, c CHAR(3), v VARCHAR(4), t TINYINT, s SMALLINT)")
    table = opened(loaded(lake, table="empty"))
    assert list(table.scan().plan_files()) == []
    fields = [(field.name, str(field.field_type), field.required) for field in table.schema().fields]
    assert fields == [
        ("id", "long", True), ("c", "string", False), ("v", "string", False), ("t", "int", False), ("s", "int", False)
    ]  # fmt: skip


def test_old_publications_are_checked_again(lake: IcebergLake) -> None:
    first = loaded(lake)
    PublishedTable.objects.update(published_at=timezone.now() - timedelta(hours=7))
    PublishedFile.objects.update(used_at=timezone.now() - timedelta(hours=7))
    assert loaded(lake) == first
    assert PublishedTable.objects.filter(published_at__gt=timezone.now() - timedelta(minutes=1)).exists()
    assert not PublishedFile.objects.filter(used_at__lt=timezone.now() - timedelta(minutes=1)).exists()


def test_a_moved_warehouse_gets_its_own_metadata(
    lake: IcebergLake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    loaded(lake)
    monkeypatch.setitem(settings.LAKEUI, "WAREHOUSE", str(tmp_path / "a b%20c=d"))
    files = list(opened(loaded(lake)).scan().plan_files())
    assert [task.file.file_path for task in files] == [f"file://{tmp_path}/a b%20c=d/{lake.table_id}/0"]
