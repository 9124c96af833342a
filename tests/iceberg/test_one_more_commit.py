"""Metadata made of those of the version before: the same as of all files, and without a look at them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.transforms import LaidBy, Transform
from catalog_app.iceberg import manifests as rules
from catalog_app.iceberg.manifest_lists import Key, StoredManifest, stored_manifest
from catalog_app.iceberg.manifests import DATA, Chunk, ListedFile, chunks
from catalog_app.iceberg.metadata import specs_of
from catalog_app.iceberg.regrouping import changed_places, ranges_joined, regrouped
from catalog_app.models import PublishedTable, Segment, SegmentRemoval
from catalog_app.selectors import listed_files
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.services import publishing, publishing_changes
from catalog_app.services.published import published_forget
from catalog_app.services.publishing_files import Published
from catalog_app.storage.warehouse import Warehouse
from merge_app.execution.apply import CommitHeader, commit_write
from tests.iceberg.conftest import IcebergLake
from tests.iceberg.test_metadata import delete, loaded

SCHEMA = Schema((Column(1, "id", "int"),))
HOURS, DAYS = Transform("hours", 0, 1), Transform("days", 0, 1)


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of four files, and of seven at most."""
    monkeypatch.setattr(rules, "_CHUNK", 4)
    monkeypatch.setattr(rules, "_LONGEST_CHUNK", 7)


def all_cut(files: Sequence[ListedFile]) -> list[StoredManifest]:
    specs = specs_of(SCHEMA, [file.lies_by for file in files])
    return [stored_manifest(chunk, chunk.digest, 1) for chunk in chunks(DATA, specs, SCHEMA, files)]


def key(file: ListedFile) -> Key:
    return file.version, file.file_id


@pytest.mark.parametrize("seed", range(40))
def test_chunks_cut_anew_equal_all_cut(seed: int) -> None:
    chance = random.Random(seed)
    files: dict[int, ListedFile] = {}
    before: list[StoredManifest] = []
    for version in range(1, 12):
        going = chance.sample(sorted(files), chance.randint(0, min(len(files), 4)))
        changed = {key(files.pop(number)) for number in going}
        for number in chance.sample(range(1000), chance.randint(0, 9)):
            if number not in files:
                laid = (LaidBy(chance.choice((HOURS, DAYS)), "timestamp", 1),) if chance.random() < 0.4 else ()
                # A merge takes in files of older versions, too.
                at = chance.randint(1, version)
                files[number] = ListedFile(number, f"f{number}", 1, 1, at, SCHEMA, layout=laid)
                changed.add(key(files[number]))
        after: list[StoredManifest | list[Any]] = []
        groups = {manifest.lies_by for manifest in before} | {file.lies_by for file in files.values()}
        for lies_by in sorted(groups):
            mine = sorted((file for file in files.values() if file.lies_by == lies_by), key=key)
            group = [manifest for manifest in before if manifest.lies_by == lies_by]
            if not group:
                after.append(mine)
                continue

            def within(low: Key, high: Key, of: Sequence[ListedFile] = mine) -> list[ListedFile]:
                return [file for file in of if low <= key(file) < high]

            after += regrouped(group, changed_places(group, changed), within)
        specs = specs_of(SCHEMA, [file.lies_by for file in files.values()])
        found: list[Any] = []
        for part in after:
            found += [part.location] if isinstance(part, StoredManifest) else _digests(specs, part)
        whole = all_cut(list(files.values()))
        # Numbers of specifications may be others: then all is cut anew.
        if all(specs[manifest.lies_by].id == manifest.spec_id for manifest in before if manifest.lies_by in specs):
            assert found == [manifest.location for manifest in whole]
        before = [StoredManifest.from_json(manifest.as_json()) for manifest in whole]
        assert before == whole


def _digests(specs: Any, part: Sequence[ListedFile]) -> list[str]:
    found: list[Chunk] = list(chunks(DATA, specs, SCHEMA, part))
    return [chunk.digest for chunk in found]


def test_ranges_that_meet_are_one() -> None:
    assert ranges_joined([((5, 1), (6, 0)), ((1, 0), (2, 0)), ((2, 0), (3, 4)), ((1, 1), (1, 2))]) == [
        ((1, 0), (3, 4)),
        ((5, 1), (6, 0)),
    ]


def remove(lake: IcebergLake, branch: str, segments: Sequence[Segment]) -> None:
    """A commit that takes files out."""
    at = lake.branch(branch)
    with transaction.atomic():
        version = commit_write(at, CommitHeader("DELETE")).commit.version
        for segment in segments:
            SegmentRemoval.objects.create(
                table_id=lake.table_id, branch_id=at.pk, segment=segment, removed_version=version
            )


def seen_files(lake: IcebergLake, branch: str) -> list[Segment]:
    chain = branch_snapshot(lake.branch(branch))
    seen = {file.file_id for file in listed_files.files_shown(chain, lake.table_id)}
    return list(Segment.objects.filter(table_id=lake.table_id, file_id__in=seen))


WHOLE = publishing._all_manifests


def all_manifests(lake: IcebergLake, branch: str, form: int) -> list[Any]:
    chain = branch_snapshot(lake.branch(branch))
    table = tables_load(chain, [lake.table_id])[lake.table_id]
    place = Published(Warehouse(settings.LAKEUI["WAREHOUSE"]), lake.table_id)
    return [manifest.as_json() for manifest in WHOLE(place, chain, table, form)]


@pytest.mark.parametrize("form", [2, 3])
def test_random_commits_give_manifests_of_all(lake: IcebergLake, monkeypatch: pytest.MonkeyPatch, form: int) -> None:
    """Also on a branch whose parent changes later, and where most versions are not asked for."""
    taken: list[str] = []
    monkeypatch.setattr(publishing, "_all_manifests", lambda *given: taken.append("") or WHOLE(*given))
    chance = random.Random(form)
    lake.insert("main", 30)
    for step in range(40):
        if step == 15:
            lake.sql("CREATE BRANCH b")
        branch = chance.choice(("main", "b")) if step >= 15 else "main"
        what = chance.random()
        if what < 0.4:
            lake.insert(branch, chance.randint(1, 9))
        elif what < 0.7:
            seen = seen_files(lake, branch)
            first = Segment.objects.filter(table_id=lake.table_id).order_by("pk").first()
            remove(lake, branch, [one for one in chance.sample(seen, min(3, len(seen))) if one != first])
        else:
            delete(lake, step, branch=branch)
        if chance.random() < 0.6:
            lake.ask(f"namespaces/d/tables/t?format-version={form}&snapshots=refs", branch)
            kept = PublishedTable.objects.latest("version")
            assert kept.manifests == all_manifests(lake, branch, form)
    # Only the first version of all had nothing before it.
    assert taken == [""]
    assert PublishedTable.objects.filter(format=form).count() > 10


def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of each statement about files, how many rows it brings."""
    counted: list[int] = []
    for module in (listed_files, publishing_changes):
        fetch = module.fetch_all

        def counting(*given: Any, fetch: Any = fetch, **named: Any) -> Any:
            found = fetch(*given, **named)
            counted.append(len(found))
            return found

        monkeypatch.setattr(module, "fetch_all", counting)
    return counted


@pytest.mark.parametrize("change", ["insert", "remove", "delete", "branch"])
def test_one_more_commit_reads_its_own_files(lake: IcebergLake, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    """However many files the table has, and each is read by one statement at most."""
    lake.insert("main", 500)
    loaded(lake)
    branch = "main"
    if change == "insert":
        lake.insert("main", 1)
    elif change == "remove":
        remove(lake, "main", seen_files(lake, "main")[100:102])
    elif change == "delete":
        delete(lake, 1)
    else:
        lake.sql("CREATE BRANCH b")
        lake.insert("b", 1)
        branch = "b"
    counted = rows_read(monkeypatch)
    before = {entry[0] for entry in PublishedTable.objects.latest("version").manifests}
    loaded(lake, branch)
    after = {entry[0] for entry in PublishedTable.objects.latest("version").manifests}
    assert len(before) > 100
    assert len(before - after) <= 2
    assert len(counted) <= 8
    assert sum(counted) < 60


def test_old_or_other_metadata_are_no_start(lake: IcebergLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a version that was made long ago, under other columns, or for another place."""
    taken: list[str] = []
    monkeypatch.setattr(publishing, "_all_manifests", lambda *given: taken.append("") or WHOLE(*given))
    loaded(lake)
    lake.insert("main", 1)
    loaded(lake)
    assert len(taken) == 1
    lake.sql("ALTER TABLE d.t ADD COLUMN (n INT)")
    loaded(lake)
    assert len(taken) == 2
    PublishedTable.objects.update(published_at=timezone.now() - timedelta(hours=7))
    published_forget([], before=timezone.now() - timedelta(days=1))
    assert not PublishedTable.objects.exclude(manifests=[]).exists()
    lake.insert("main", 1)
    loaded(lake)
    assert len(taken) == 3


def test_metadata_age_with_those_before(lake: IcebergLake) -> None:
    loaded(lake)
    first = timezone.now() - timedelta(hours=5)
    PublishedTable.objects.update(published_at=first)
    lake.insert("main", 1)
    loaded(lake)
    assert set(PublishedTable.objects.values_list("published_at", flat=True)) == {first}
