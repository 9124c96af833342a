"""check_catalog says of every invariant when it is broken: each is broken here, by hand, in metadata that are sound."""

from __future__ import annotations

import re

import pytest
from django.db import connection, transaction

from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.files import addresses_allocate
from catalog_app.services.integrity import BRANCH_INVARIANTS, METADATA_INVARIANTS, catalog_check
from lakeui.frontdoor import compute
from tests.stories.conftest import database
from tests.support.lake import Lake
from tests.support.memory_engine import MemoryEngine

__all__ = ["database"]

MAIN = "(SELECT id FROM catalog_app_branch WHERE catalog_id = %(catalog)s AND name = 'main')"
B = "(SELECT id FROM catalog_app_branch WHERE catalog_id = %(catalog)s AND name = 'b')"
T = "(SELECT table_id FROM catalog_app_tablerecord WHERE branch_id = " + MAIN + " AND name = 't' LIMIT 1)"
NEWEST = "(SELECT id FROM catalog_app_commit WHERE branch_id = " + MAIN + " ORDER BY version DESC LIMIT 1)"
SEGMENTS = "SELECT id FROM catalog_app_segment WHERE table_id = " + T

DAMAGE = {
    "a branch's head is not its newest commit": f"""
        UPDATE catalog_app_branch SET head_version = head_version + 1 WHERE id = {MAIN}""",
    "a commit's parent lies neither on its branch nor below its cut": f"""
        UPDATE catalog_app_commit SET parent_id = (SELECT min(id) FROM catalog_app_commit WHERE branch_id = {B})
        WHERE id = {NEWEST}""",
    "a commit is older than its parent": f"""
        UPDATE catalog_app_commit SET committed_at = committed_at - interval '1 day' WHERE id = {NEWEST}""",
    "an operation disagrees with its commit": f"""
        UPDATE catalog_app_commitoperation SET version = version - 1 WHERE commit_id = {NEWEST}""",
    "a current schema is not the newest of the visible history": f"""
        UPDATE catalog_app_tableschema SET version = version - 1 WHERE table_id = {T}""",
    "a segment was removed before it was added": f"""
        UPDATE catalog_app_segmentremoval SET removed_version = 0 WHERE table_id = {T}""",
    "a delete file hangs on a segment of another file": f"""
        UPDATE catalog_app_segmentdelete SET segment_id = ({SEGMENTS} ORDER BY id LIMIT 1) WHERE table_id = {T}""",
    "a branch's look-up chain is not its parent's, cut at the fork": f"""
        UPDATE catalog_app_branch SET ancestor_limits = ARRAY[fork_version - 1] WHERE id = {B}""",
    "two data files of a table own the same row address": f"""
        UPDATE catalog_app_datafile SET rows = rows + 1
        WHERE base = (SELECT min(base) FROM catalog_app_datafile WHERE table_id = {T}) AND table_id = {T}""",
    "tables share a file of which they say different things": """
        UPDATE catalog_app_datafile SET bytes = bytes + 1 WHERE id = (
            SELECT max(f.id) FROM catalog_app_datafile f JOIN catalog_app_datafile g USING (path)
            WHERE g.id < f.id AND f.table_id IN (
                SELECT id FROM catalog_app_table WHERE catalog_id = %(catalog)s))""",
    "a row address was used that was never given out": f"""
        UPDATE catalog_app_table SET next_address = next_address - 1 WHERE id = {T}""",
    "an operation replays one that was no original": f"""
        UPDATE catalog_app_commitoperation SET origin_version = origin_version - 1
        WHERE branch_id = {MAIN} AND origin_id IS NOT NULL""",
    "a record was superseded by none": f"""
        UPDATE catalog_app_tablerecord SET superseded_version = version + 1000
        WHERE table_id = {T} AND superseded_version IS NULL""",
    "a tag names a version that its branch has not lived through": """
        UPDATE catalog_app_tag SET version = version + 1000 WHERE catalog_id = %(catalog)s""",
    "an open transaction has no workspace, or a closed one still has": """
        UPDATE catalog_app_branch SET dropped_at = now() WHERE catalog_id = %(catalog)s AND is_workspace""",
    "a data file stores stamps of which it has no bounds, or bounds of none": f"""
        UPDATE catalog_app_datafile SET largest_stamp = 1 WHERE table_id = {T}""",
    "a visible file stores a stamp that the branch does not know": f"""
        UPDATE catalog_app_datafile SET stores_stamps = true, smallest_stamp = 0, largest_stamp = 100000
        WHERE table_id = {T}""",
    "a delete file names more rows than its data file has": f"""
        UPDATE catalog_app_deletefile SET rows = rows + 1000 WHERE table_id = {T}""",
    "a file is visible twice": f"""
        INSERT INTO catalog_app_segment (table_id, branch_id, operation_id, added_version, file_id, definition_id,
                                         schema_version, is_visible)
        SELECT table_id, branch_id, operation_id, added_version + 1, file_id, definition_id, schema_version, is_visible
        FROM catalog_app_segment s WHERE table_id = {T}
          AND NOT EXISTS (SELECT 1 FROM catalog_app_segmentremoval r WHERE r.segment_id = s.id)""",
    "a visible segment names a schema version that its store lacks": f"""
        UPDATE catalog_app_segment SET is_visible = NOT is_visible WHERE table_id = {T}""",
    "rows lie in another partition than they were written in, and no statement moved them": f"""
        UPDATE catalog_app_segment SET partition = '["x"]' WHERE table_id = {T}""",
    "a visible file has expired": f"""
        INSERT INTO catalog_app_expiredfile (path, bytes, data_file_id, expired_at)
        SELECT path, bytes, id, now() FROM catalog_app_datafile WHERE table_id = {T}""",
    "two valid tables of a database share a name": f"""
        UPDATE catalog_app_tablerecord SET name = 't', name_key = 't' WHERE branch_id = {B} AND name = 'u'""",
    "two valid databases share a name": f"""
        UPDATE catalog_app_databaserecord SET name = 'd', name_key = 'd' WHERE branch_id = {B} AND name = 'e'""",
}


HISTORY = (
    ("main", "CREATE DATABASE d"),
    ("main", "CREATE TABLE d.t (id INT, v STRING)"),
    ("main", "INSERT INTO d.t VALUES (1, 'a')"),
    ("main", "CREATE BRANCH b"),
    ("main", "INSERT INTO d.t VALUES (2, 'b'), (3, 'c')"),
    ("main", "DELETE FROM d.t WHERE id = 3"),
    ("main", "DELETE FROM d.t WHERE id = 1"),
    ("b", "ALTER TABLE d.t ADD COLUMN w INT"),
    ("b", "INSERT INTO d.t VALUES (4, 'd', 1)"),
    ("main", "MERGE BRANCH b"),
    ("b", "CREATE TABLE d.u (id INT)"),
    ("main", "CREATE TABLE d.c CLONE d.t"),
    ("b", "CREATE DATABASE e"),
    ("main", "CREATE TAG g"),
    ("main", "BEGIN"),
)


@pytest.fixture(scope="module")
def lived_in(database: None) -> Lake:
    """A little of everything that leaves metadata: two branches that merged, deletes, schemas, a tag, a transaction."""
    lake, engine = Lake(), MemoryEngine(addresses_allocate)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "engine_make", lambda: engine)
        for branch, statement in HISTORY:
            lake.sql(statement, branch)
    return lake


@pytest.mark.parametrize("invariant", DAMAGE)
def test_a_broken_invariant_is_found(lived_in: Lake, invariant: str) -> None:
    catalog = catalog_get(lived_in.catalog)
    assert catalog_check(catalog) == []
    with transaction.atomic():
        _damage(DAMAGE[invariant], catalog.pk)
        found = {re.sub(r"^on branch \w+: | \(id \d+\)$", "", breach) for breach in catalog_check(catalog)}
        transaction.set_rollback(True)
    assert invariant in found


def _damage(statement: str, catalog_id: int) -> None:
    """What triggers keep everybody from doing."""
    table = re.search(r"(?:UPDATE|INTO) (\w+)", statement)
    assert table is not None
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table[1]} DISABLE TRIGGER USER")
        cursor.execute(statement, {"catalog": catalog_id})
        assert cursor.rowcount > 0, "nothing was damaged"


def test_every_invariant_is_broken_once() -> None:
    assert DAMAGE.keys() == METADATA_INVARIANTS.keys() | BRANCH_INVARIANTS.keys()


@pytest.mark.parametrize("size", [None, 7])
def test_missing_or_resized_files_are_found(lived_in: Lake, size: int | None) -> None:
    breaches = catalog_check(catalog_get(lived_in.catalog), size_of=lambda _: size)
    assert breaches
    assert all(f" has {size} bytes instead of " in breach for breach in breaches)
