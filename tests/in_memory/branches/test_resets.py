"""A branch is reset to its parent: its name gets a cut of the parent's head, and what it was goes to the trash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from catalog_app.models import Branch, FileImport
from lakeui.common.errors import BranchMoved, InvalidValue, LakeError, NotFound
from lakeui.frontdoor import Session, execute
from lakeui.frontdoor.branches import resetting
from merge_app.audit.models import MergeAttempt
from tests.support.lake import Lake
from tests.support.together import together


@pytest.fixture
def table(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.t (a int)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    lake.sql("CREATE BRANCH b")
    return lake


def reset(lake: Lake, name: str = "b", suffix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = lake.sql(f"ALTER BRANCH {name} RESET TO PARENT{suffix}").extra["reset"]
    return found


def test_a_reset_branch_equals_its_parent_after_pulling(table: Lake) -> None:
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    table.sql("INSERT INTO d.t VALUES (3)")
    table.merge("main", "b")
    table.sql("DELETE FROM d.t WHERE a = 3", "b")
    table.sql("CREATE TABLE d.own (a int)", "b")
    table.sql("CREATE VIEW d.v AS SELECT a FROM d.t", "b")
    table.sql("INSERT INTO d.t VALUES (4)")
    old = table.branch("b")
    found = reset(table)
    assert sorted(table.rows("d.t", "b")) == sorted(table.rows("d.t")) == [(1,), (3,), (4,)]
    assert [row[1] for row in table.sql("SHOW TABLES", "b").rows] == ["t"]
    assert (found["is_done"], found["parent"], found["head_version"]) == (True, "main", table.head())
    discarded = found["discarded"]
    assert (discarded["branch_id"], discarded["head_version"]) == (old.pk, old.head_version)
    counts = {
        item["object"]: (item["kind"], item["operations"], item["rows_inserted"], item["rows_deleted"])
        for item in discarded["objects"]
    }
    assert counts == {
        "d.own": ("table", ["create"], 0, 0),
        "d.t": ("table", ["insert", "delete"], 1, 1),
        "d.v": ("view", ["create"], 0, 0),
    }
    assert not table.merge("b")["version"]
    assert table.breaches() == []


def test_what_was_discarded_comes_back_under_another_name(table: Lake) -> None:
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    discarded = reset(table)["discarded"]
    table.sql(f"UNDROP BRANCH b WITH ID '{discarded['branch_id']}' AS before")
    assert sorted(table.rows("d.t", "before")) == [(1,), (2,)]
    assert table.rows("d.t", "b") == [(1,)]
    table.merge("before", "b")
    assert sorted(table.rows("d.t", "b")) == [(1,), (2,)]
    assert table.breaches() == []


def test_a_second_reset_finds_nothing_to_do(table: Lake) -> None:
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    first = reset(table)
    records = MergeAttempt.objects.count()
    again = reset(table)
    assert (again["is_done"], again["branch_id"], again["discarded"]["commits"]) == (False, first["branch_id"], 0)
    assert MergeAttempt.objects.count() == records
    assert Branch.objects.filter(catalog__name=table.catalog, name="b").count() == 2


def test_a_dry_run_answers_alike_and_changes_nothing(table: Lake) -> None:
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    before = list(Branch.objects.order_by("pk").values())
    rehearsed = reset(table, suffix=" DRY RUN")
    assert rehearsed["branch_id"] is None
    assert list(Branch.objects.order_by("pk").values()) == before
    done = reset(table)
    assert {**done, "branch_id": None} == rehearsed


def test_a_branch_at_another_head_is_not_reset(table: Lake) -> None:
    head = table.head("b")
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    with pytest.raises(BranchMoved, match=f"at version {head + 1}, not {head}"):
        reset(table, suffix=f" IF HEAD = {head}")
    assert len(table.rows("d.t", "b")) == 2
    assert reset(table, suffix=f" IF HEAD = {head + 1}")["is_done"]


def test_resets_of_main_or_dropped_parents_are_refused(table: Lake) -> None:
    with pytest.raises(InvalidValue, match="main cannot be reset"):
        reset(table, "main")
    table.sql("CREATE BRANCH c FROM b")
    table.sql("DROP BRANCH b")
    with pytest.raises(NotFound, match="no branch b any more, which is the parent of c") as refusal:
        reset(table, "c")
    assert "UNDROP BRANCH" in refusal.value.remedy


def test_children_and_tags_keep_what_they_saw(table: Lake) -> None:
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    table.sql("CREATE BRANCH c FROM b")
    table.sql("CREATE TAG kept FROM b")
    for _ in range(2):
        reset(table)
        table.sql("INSERT INTO d.t VALUES (5)", "b")
    assert sorted(table.rows("d.t", "c")) == sorted(table.rows("d.`t@kept`")) == [(1,), (2,)]
    table.sql("ALTER BRANCH b RENAME TO n")
    assert reset(table, "c")["parent"] == "n"
    assert sorted(table.rows("d.t", "c")) == [(1,), (5,)]
    assert table.breaches() == []


def test_what_others_merged_of_it_stays(table: Lake) -> None:
    table.sql("CREATE BRANCH other")
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    table.merge("b", "other")
    reset(table)
    assert sorted(table.rows("d.t", "other")) == [(1,), (2,)]
    table.merge("other", "b")
    assert sorted(table.rows("d.t", "b")) == [(1,), (2,)]
    assert table.breaches() == []


def test_the_name_keeps_its_expiry_maker_and_uploads(table: Lake) -> None:
    table.sql("ALTER BRANCH b SET EXPIRY '7 days'")
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    old = table.branch("b")
    waiting = FileImport.objects.create(
        branch=old, name="f.csv", format="csv", bytes=1, path="x", reading={}, found={}, expires_at=old.expires_at
    )
    reset(table)
    new = table.branch("b")
    kept = ("expires_at", "expiry_set_at", "expiry_set_by_id", "created_by_id")
    assert [getattr(new, name) for name in kept] == [getattr(old, name) for name in kept]
    waiting.refresh_from_db()
    assert waiting.branch_id == new.pk != old.pk
    waiting.delete()


def test_the_record_names_both_branches_and_the_loss(table: Lake) -> None:
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    old = table.branch("b")
    reset(table)
    record = MergeAttempt.objects.order_by("-number").get(catalog__name=table.catalog, kind="settings")
    assert record.destination == "reset branch b"
    assert record.body["before"] == {"branch_id": old.pk, "head": old.head_version, "commits": 1}
    assert record.body["after"] == {"branch_id": table.branch("b").pk, "head": table.head(), "parent": "main"}


def test_a_transaction_of_the_branch_writes_neither_branch(table: Lake) -> None:
    opened = table.sql("BEGIN", "b").extra["transaction"]
    table.sql("INSERT INTO d.t VALUES (2)", "b", transaction=opened)
    table.sql("INSERT INTO d.t VALUES (3)", "b")
    reset(table)
    for statement in ("INSERT INTO d.t VALUES (4)", "SELECT * FROM d.t", "COMMIT"):
        with pytest.raises(LakeError, match="dropped"):
            table.sql(statement, "b", transaction=opened)
    assert table.rows("d.t", "b") == [(1,)]
    assert table.sql("ROLLBACK", "b", transaction=opened).extra["state"] == "rolled back"
    execute("INSERT INTO d.t VALUES (6)", Session(table.catalog, "b"))
    assert sorted(table.rows("d.t", "b")) == [(1,), (6,)]


def code_of(work: Callable[[], Any]) -> Callable[[], str]:
    """``OK``, or the code of the refusal."""

    def run() -> str:
        try:
            work()
        except LakeError as refusal:
            return refusal.code
        return "OK"

    return run


def test_two_concurrent_resets_discard_the_branch_once(table: Lake) -> None:
    for number in range(4):
        table.sql(f"INSERT INTO d.t VALUES ({number})", "b")
        line = table.branch("b").pk
        ends = together(*[code_of(lambda: reset(table))] * 3)
        # Whoever began before the other was done is refused; whoever began behind finds nothing to do.
        assert set(ends) <= {"OK", "BRANCH_MOVED"}
        assert "OK" in ends
        assert table.rows("d.t", "b") == [(1,)]
        assert Branch.objects.filter(successor=table.branch("b")).filter(pk=line).exists()
    assert Branch.objects.filter(catalog__name=table.catalog, name="b").count() == 5
    assert MergeAttempt.objects.filter(catalog__name=table.catalog, kind="settings").count() == 4
    assert table.breaches() == []


def test_only_a_commit_before_a_reset_is_discarded(table: Lake) -> None:
    for number in range(10, 16):
        table.sql("INSERT INTO d.t VALUES (2)", "b")
        discarded: list[dict[str, Any]] = []
        wrote, done = together(
            code_of(lambda n=number: table.sql(f"INSERT INTO d.t VALUES ({n})", "b")),
            code_of(lambda found=discarded: found.append(reset(table)["discarded"])),
        )
        assert done in ("OK", "BRANCH_MOVED")
        kept = (number,) in table.rows("d.t", "b")
        if done == "BRANCH_MOVED":
            assert (wrote, kept) == ("OK", True)
        elif wrote == "OK":
            # Before the reset began, so that its answer counts it, or behind it.
            assert kept is not (discarded[0]["commits"] == 2)
        else:
            assert (wrote, kept) == ("NOT_FOUND", False)
        if kept:
            reset(table)
    assert table.breaches() == []


def test_a_reset_failing_at_its_end_changes_nothing(table: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    table.sql("INSERT INTO d.t VALUES (2)", "b")
    before = list(Branch.objects.order_by("pk").values())

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(resetting, "drop_emit", fail)
    with pytest.raises(RuntimeError):
        reset(table)
    assert list(Branch.objects.order_by("pk").values()) == before
    assert not MergeAttempt.objects.filter(catalog__name=table.catalog, kind="settings").exists()
