"""A dry run on a branch says what a merge of the branch to its parent would then say."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.models import Branch
from lakeui.frontdoor import Session, execute, rehearsal
from merge_app.comparison import parent_merge
from merge_app.comparison.parent_merge import parent_merge_foresee
from merge_app.execution.engine_source import EngineSource
from tests.in_memory.conftest import Begun
from tests.in_memory.rows.test_dry_runs import everything, filled_fill
from tests.support.lake import Lake
from tests.support.together import together

CLEAN = {"branch": "main", "mergeable": True, "conflicts": [], "notes": []}


@pytest.fixture
def filled(begun: Begun) -> Lake:
    """Table d.t of two files with a key, and a branch b."""
    return begun(filled_fill)


WRITES = [
    "UPDATE d.t SET v = 'theirs' WHERE id = 1",
    "DELETE FROM d.t WHERE id = 1",
    "INSERT OVERWRITE d.t VALUES (1, 'theirs')",
    "MERGE INTO d.t USING (SELECT 1 AS id, 'm' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
]


@pytest.mark.parametrize("text", WRITES)
def test_it_names_the_conflicts_of_the_merge(filled: Lake, text: str) -> None:
    filled.sql("UPDATE d.t SET v = 'ours' WHERE id = 1")
    before = everything(filled)
    said = filled.sql(f"{text} DRY RUN", "b").extra["parent_merge"]
    assert everything(filled) == before
    filled.sql(text, "b")
    merge = filled.dry_run("b")
    assert (said["branch"], said["mergeable"]) == ("main", merge["mergeable"])
    assert counted(said["conflicts"]) == found(merge["conflicts"])
    assert counted(said["notes"]) == found(merge["notes"])
    assert said["conflicts"] or said["notes"]


OURS = [
    "INSERT INTO d.other VALUES (1)",
    "ALTER TABLE d.t ALTER COLUMN v SET NOT NULL",
    "ALTER TABLE d.t DROP COLUMN v",
    "ALTER TABLE d.t RENAME TO d.u",
    "DROP TABLE d.t",
    "ALTER DATABASE d RENAME TO e",
    "DROP DATABASE d CASCADE",
    "OPTIMIZE d.t",
    "INSERT INTO d.t VALUES (3, 'ours')",
    "MERGE BRANCH c",
]


@pytest.mark.parametrize("ours", OURS)
@pytest.mark.parametrize("text", ["UPDATE d.t SET v = NULL WHERE id = 1", "DELETE FROM d.t WHERE id = 1"])
def test_merge_after_any_change_is_foreseen(filled: Lake, ours: str, text: str) -> None:
    filled.sql("CREATE TABLE d.other (id INT)")
    filled.sql("CREATE BRANCH c")
    filled.sql("UPDATE d.t SET v = 'third' WHERE id = 1", "c")
    filled.sql(ours)
    said = filled.sql(f"{text} DRY RUN", "b").extra["parent_merge"]
    filled.sql(text, "b")
    merge = filled.dry_run("b")
    assert counted(said["conflicts"]) == found(merge["conflicts"])
    assert counted(said["notes"]) == found(merge["notes"])


def counted(said: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(item["code"], item["object"]) for item in said for _ in range(item["count"])]


def found(findings: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted((item["code"], item["object"]) for item in findings)


def test_key_inserted_on_both_branches_is_conflict(filled: Lake) -> None:
    filled.sql("INSERT INTO d.t VALUES (3, 'ours')")
    said = filled.sql("INSERT INTO d.t VALUES (3, 'theirs') DRY RUN", "b").extra["parent_merge"]
    filled.sql("INSERT INTO d.t VALUES (3, 'theirs')", "b")
    assert counted(said["conflicts"]) == found(filled.refused("b"))
    assert said["conflicts"]


def test_without_a_conflict_it_says_so(filled: Lake) -> None:
    assert filled.sql("UPDATE d.t SET v = 'x' WHERE id = 1 DRY RUN", "b").extra["parent_merge"] == CLEAN
    assert filled.sql("ALTER TABLE d.t ADD COLUMN w INT DRY RUN", "b").extra["parent_merge"] == CLEAN


def test_notes_are_counted_too(filled: Lake) -> None:
    filled.sql("DELETE FROM d.t WHERE id = 2", "b")
    filled.sql("UPDATE d.t SET v = 'ours' WHERE id = 2")
    said = filled.sql("UPDATE d.t SET v = 'x' WHERE id = 1 DRY RUN", "b").extra["parent_merge"]
    dry = filled.dry_run("b")
    assert sum(item["count"] for item in said["conflicts"] + said["notes"]) == len(dry["conflicts"] + dry["notes"])


def test_branch_without_parent_and_transaction_say_nothing(filled: Lake) -> None:
    assert "parent_merge" not in filled.sql("DELETE FROM d.t DRY RUN").extra
    opened = execute("BEGIN", Session(filled.catalog, branch="b")).extra["transaction"]
    dry = filled.sql("DELETE FROM d.t DRY RUN", "b", transaction=opened)
    assert "parent_merge" not in dry.extra
    filled.sql("ROLLBACK", "b", transaction=opened)


def test_a_write_that_changes_nothing_says_nothing(filled: Lake) -> None:
    assert "parent_merge" not in filled.sql("DELETE FROM d.t WHERE id = 99 DRY RUN", "b").extra


@pytest.mark.parametrize("text", ["UPDATE d.t SET v = 'x' WHERE id = 1", "ALTER TABLE d.t ADD COLUMN w INT"])
def test_no_writer_waits_while_the_merge_is_planned(filled: Lake, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int | None] = []

    def foresee(branch: Branch, engine: EngineSource) -> dict[str, Any] | None:
        written.extend(together(lambda: filled.sql("INSERT INTO d.t VALUES (7, 'theirs')", "b").version, seconds=10))
        return parent_merge_foresee(branch, engine)

    monkeypatch.setattr(rehearsal, "parent_merge_foresee", foresee)
    filled.sql("INSERT INTO d.t VALUES (8, 'ours')")
    assert filled.sql(f"{text} DRY RUN", "b").extra["parent_merge"]["conflicts"] == []
    assert written == [filled.head("b")]


def test_dry_runs_beside_writers_fail_in_none(filled: Lake) -> None:
    def looked_at() -> list[Any]:
        texts = ["ALTER TABLE d.t ADD COLUMN w INT", "UPDATE d.t SET v = 'x' WHERE id = 1"] * 3
        return [filled.sql(f"{text} DRY RUN", "b").extra["parent_merge"]["mergeable"] for text in texts]

    def written() -> list[Any]:
        texts = [f"ALTER TABLE d.t ADD COLUMN c{n} INT" for n in range(6)]
        return [filled.sql(text, "b").version for text in texts]

    found, versions = together(looked_at, written)
    assert found == [True] * 6
    assert len(set(versions)) == 6


def test_explain_analyze_shows_it_as_steps(filled: Lake) -> None:
    text = "EXPLAIN ANALYZE UPDATE d.t SET v = 'theirs' WHERE id = 1"
    assert filled.sql(text, "b").rows[-1] == ["then", "a merge to main has no conflict"]
    filled.sql("UPDATE d.t SET v = 'ours' WHERE id = 1")
    step, detail = filled.sql(text, "b").rows[-1]
    assert step == "then"
    assert detail.startswith("a merge to main conflicts: ")
    assert detail.endswith(" of d.t: 1")


def test_forward_of_rows_needs_no_plan(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent has nothing new, and the branch changed rows alone (law 1 of lineage.md)."""
    filled.sql("DELETE FROM d.t WHERE id = 2", "b")
    with monkeypatch.context() as patch:
        patch.setattr(parent_merge, "plan", lambda _: pytest.fail("a plan was made"))
        assert filled.sql(f"{WRITES[0]} DRY RUN", "b").extra["parent_merge"] == CLEAN
    filled.sql("ALTER TABLE d.t ADD COLUMN w INT", "b")
    assert filled.sql(f"{WRITES[0]} DRY RUN", "b").extra["parent_merge"] == CLEAN


def test_what_a_decision_left_out_is_foreseen(filled: Lake) -> None:
    filled.sql("UPDATE d.t SET v = 'ours' WHERE id = 1")
    filled.sql("UPDATE d.t SET v = 'theirs' WHERE id = 1", "b")
    filled.sql("MERGE BRANCH main TO b RESOLVE (TABLE d.t TAKE DESTINATION)")
    said = filled.sql("INSERT INTO d.t VALUES (9, 'n') DRY RUN", "b").extra["parent_merge"]
    filled.sql("INSERT INTO d.t VALUES (9, 'n')", "b")
    merge = filled.dry_run("b")
    assert counted(said["conflicts"]) == found(merge["conflicts"]) == [("LEFT_OUT_BEFORE", "d.t")]
