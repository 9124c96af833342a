"""What a story file does not say of merges: their commits, dry runs, and catalogs that share nothing (P1 to P7)."""

from __future__ import annotations

import pytest

from lakeui.common.errors import SameBranch
from tests.support.lake import Lake


@pytest.fixture
def grown(lake: Lake) -> Lake:
    """Table d.t with one row, and branch b."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    lake.sql("CREATE BRANCH b")
    return lake


def test_merging_is_one_commit_and_keeps_old_versions(grown: Lake) -> None:
    before = grown.head()
    for number in (2, 3):
        grown.sql(f"INSERT INTO d.t VALUES ({number}, 'b')", "b")
    result = grown.merge("b")
    assert [row[0] for row in grown.sql("SHOW HISTORY").rows if row[0] > before] == [result["version"]]
    assert grown.rows(f"d.t VERSION AS OF {before}") == [(1, "a")]
    assert grown.rows("d.t") == [(1, "a"), (2, "b"), (3, "b")]


def test_an_unrelated_catalog_brings_objects_under_their_ids(lake: Lake, services: None) -> None:
    other = Lake()
    other.sql("CREATE DATABASE e")
    other.sql("CREATE TABLE e.t (id INT)")
    other.sql("INSERT INTO e.t VALUES (1)")
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    assert lake.rows("e.t") == [(1,)]
    assert lake.sql("SHOW TABLES IN e").rows == other.sql("SHOW TABLES IN e").rows
    other.sql("INSERT INTO e.t VALUES (2)")
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    assert lake.rows("e.t") == [(1,), (2,)]


def test_a_taken_name_refuses_an_unrelated_catalog(lake: Lake) -> None:
    other = Lake()
    other.sql("CREATE DATABASE d")
    assert lake.codes(f"{other.catalog}.main") == {"NAME_EXISTS"}


def test_a_dry_run_is_the_merge_that_follows(grown: Lake) -> None:
    grown.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    head = grown.head()
    dry = grown.dry_run("b")
    assert dry["mergeable"]
    assert grown.head() == head
    assert grown.merge("b")["fingerprint"] == dry["fingerprint"]


def test_a_branch_does_not_merge_into_itself(grown: Lake) -> None:
    with pytest.raises(SameBranch):
        grown.merge("b", "b")
