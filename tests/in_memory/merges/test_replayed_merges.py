"""Each past attempt to merge, planned again from what is stored, has the fingerprint of its record."""

from __future__ import annotations

import random

import pytest

from catalog_app.models import Branch
from lakeui.common.errors import InvalidValue, LakeError, MergeConflict, NotFound
from lakeui.frontdoor import compute
from merge_app.audit.models import MergeAttempt
from merge_app.comparison.replaying import merge_replay
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

MERGES = 1000 if IS_SOAK else 40


def replayed(lake: Lake) -> list[tuple[str, bool]]:
    records = MergeAttempt.objects.filter(catalog__name=lake.catalog, kind="merge").order_by("number")
    return [(record.outcome, merge_replay(record, compute.engine).is_same) for record in records]


def test_every_attempt_of_a_busy_lake_replans_alike(lake: Lake) -> None:
    """Branches write, merge both ways, conflict, are decided, dropped and renamed; main is compacted and restored."""
    rng = random.Random(34)
    lake.sql("CREATE TABLE d.t (id INT, v INT, PRIMARY KEY (id))")
    lake.sql("CREATE TABLE d.u (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 1), (2, 2), (3, 3)")
    lake.sql("INSERT INTO d.u VALUES (1, 'a'), (2, 'b')")
    live: list[str] = []
    made = 0
    while MergeAttempt.objects.filter(catalog__name=lake.catalog, kind="merge").count() < MERGES:
        if len(live) < 3:
            made += 1
            lake.sql(f"CREATE BRANCH b{made}")
            live.append(f"b{made}")
        branch = rng.choice(live)
        writes = (
            f"INSERT INTO d.t VALUES ({rng.randrange(4, 10**8)}, 0)",
            f"UPDATE d.t SET v = {rng.randrange(100)} WHERE id = {rng.randrange(1, 4)}",
            f"DELETE FROM d.u WHERE id = {rng.randrange(3)}",
            f"INSERT INTO d.u VALUES ({rng.randrange(9)}, 'x')",
            f"ALTER TABLE d.u SET TBLPROPERTIES ('k' = '{rng.randrange(5)}')",
        )
        lake.sql(rng.choice(writes), rng.choice((branch, branch, "main")))
        try:
            match rng.randrange(6):
                case 0:
                    lake.sql(f"MERGE BRANCH {branch} TO main DRY RUN")
                case 1:
                    lake.sql(f"MERGE BRANCH main TO {branch}")
                case 2:
                    lake.sql(f"MERGE BRANCH {branch} TO main RESOLVE (TABLE d.t ROWS TAKE SOURCE)")
                case 3:
                    lake.sql(f"MERGE BRANCH {branch} TO main")
                    lake.sql(f"DROP BRANCH {branch}")
                    live.remove(branch)
                case _:
                    lake.sql(f"MERGE BRANCH {branch} TO main")
        except LakeError:
            pass
    found = replayed(lake)
    assert [is_same for _, is_same in found] == [True] * len(found)
    assert {"merged", "refused", "dry run"} <= {outcome for outcome, _ in found}


def test_a_renamed_branch_is_found_by_id(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("INSERT INTO d.t VALUES (1)", "b")
    lake.merge("b")
    lake.sql("ALTER BRANCH b RENAME TO other")
    lake.sql("CREATE BRANCH b")
    lake.sql("INSERT INTO d.t VALUES (2)", "b")
    assert replayed(lake) == [("merged", True)]


def test_a_record_that_was_changed_has_another_plan(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v INT, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 1)")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = 2", "b")
    lake.sql("UPDATE d.t SET v = 3")
    with pytest.raises(MergeConflict):
        lake.merge("b")
    lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t ROWS TAKE SOURCE)")
    record = MergeAttempt.objects.get(outcome="merged", catalog__name=lake.catalog)
    assert merge_replay(record, compute.engine).is_same
    record.body["resolutions"][0]["decision"] = "destination"
    assert not merge_replay(record, compute.engine).is_same
    record.body["resolutions"] = []
    assert not merge_replay(record, compute.engine).is_same
    record.body["rules"] = "of then"
    assert merge_replay(record, compute.engine).reason == "The rules of merging changed since."


def test_what_cannot_be_planned_again_says_why(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("INSERT INTO d.t VALUES (1)", "b")
    version = lake.head()
    lake.merge("b")
    lake.sql(f"RESTORE BRANCH main TO VERSION AS OF {version}")
    restored = MergeAttempt.objects.filter(catalog__name=lake.catalog, kind="restore").latest("number")
    with pytest.raises(InvalidValue, match="of the kind restore"):
        merge_replay(restored, compute.engine)
    merged = MergeAttempt.objects.get(catalog__name=lake.catalog, kind="merge")
    Branch.objects.filter(name="main", catalog__name=lake.catalog).update(oldest_version=merged.version)
    with pytest.raises(NotFound, match="older than the retention"):
        merge_replay(merged, compute.engine)
