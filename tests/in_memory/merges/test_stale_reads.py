"""What a commit records of its reads, and protection by it. ``tests/stories/stale_reads.toml`` has the notes."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.models import CommitRead, ProtectionRule
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import BranchProtected
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake

COPY = "INSERT INTO d.made SELECT id FROM d.read"


def two_tables_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.read (id INT)")
    lake.sql("CREATE TABLE d.made (id INT)")
    lake.sql("INSERT INTO d.read VALUES (1)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def two_tables(begun: Begun) -> Lake:
    """Tables d.read with a row and d.made without one, and branch b."""
    return begun(two_tables_fill)


def reads(lake: Lake) -> list[tuple[str, int]]:
    """Branch and version of all that was read, oldest first."""
    found = CommitRead.objects.filter(commit__catalog__name=lake.catalog).order_by("id")
    return list(found.values_list("branch__name", "version"))


def stale(found: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Table, version read and the target's, of each note."""
    reported = [note["details"] for note in found["notes"] if note["code"] == "STALE_READ"]
    return [(item["table"], item["version_read"], item["target_version"]) for item in reported]


def test_a_stale_read_is_recorded(two_tables: Lake) -> None:
    seen = two_tables.head("b")
    two_tables.sql(COPY, "b")
    assert reads(two_tables) == [("b", seen)]
    assert stale(two_tables.dry_run("b")) == []
    two_tables.sql("INSERT INTO d.read VALUES (2)")
    expected = [("d.read", seen, two_tables.head())]
    assert stale(two_tables.dry_run("b")) == expected
    merged = two_tables.merge("b")
    assert stale(merged) == stale(two_tables.audit(merged["merge_id"])) == expected


def test_the_note_shows_read_and_target_versions(two_tables: Lake) -> None:
    two_tables.sql(COPY, "b")
    two_tables.sql("INSERT INTO d.read VALUES (2)")
    (note,) = two_tables.dry_run("b")["notes"]
    (branch, version), head = reads(two_tables)[0], two_tables.head()
    assert note["message"] == (
        f"On d.made: the source read d.read at version {version} of {branch}; the target's is at version {head}."
    )


def test_a_table_read_for_itself_is_not_recorded(two_tables: Lake) -> None:
    two_tables.sql("INSERT INTO d.read SELECT id + 10 FROM d.read", "b")
    assert reads(two_tables) == []


def test_protection_refuses_stale_reads_until_source_is_current(two_tables: Lake) -> None:
    protect(two_tables)
    two_tables.sql(COPY, "b")
    two_tables.sql("INSERT INTO d.read VALUES (2)")
    with pytest.raises(BranchProtected, match=r"newer changes of d\.read") as refused:
        two_tables.merge("b")
    assert "run the statements there again" in refused.value.remedy
    two_tables.merge("main", "b")
    two_tables.sql("INSERT OVERWRITE d.made SELECT id FROM d.read", "b")
    two_tables.merge("b")
    assert two_tables.rows("d.made") == [(1,), (2,)]


def test_protection_refuses_a_transactions_commit_with_stale_reads(two_tables: Lake) -> None:
    protect(two_tables)
    opened = two_tables.sql("BEGIN").extra["transaction"]
    two_tables.sql(COPY, transaction=opened)
    two_tables.sql("INSERT INTO d.read VALUES (2)")
    with pytest.raises(BranchProtected, match=r"newer changes of d\.read"):
        two_tables.sql("COMMIT", transaction=opened)
    assert two_tables.rows("d.made") == []


def protect(lake: Lake) -> None:
    """Main takes no stale reads, and all else."""
    others = ("refuse_direct_writes", "refuse_direct_merges", "refuse_deletion")
    ProtectionRule.objects.create(
        catalog=catalog_get(lake.catalog),
        pattern="main",
        required_approvals=0,
        merge_role="contributor",
        refuse_stale_reads=True,
        **dict.fromkeys(others, False),
    )
