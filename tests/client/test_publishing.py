"""Write, audit, publish: a run writes on its branch, checks look, and what passes is merged once."""

from __future__ import annotations

import pickle

import pytest

from catalog_app.domain.roles import Role
from lakeui_client import (
    AlreadyPublished,
    Catalog,
    ChecksFailed,
    ConflictError,
    LakeError,
    NotFound,
    Publication,
    WaitsForPeople,
)
from tests.client.conftest import Person, protect

CHECKS = {"no_nameless": "SELECT id FROM d.t WHERE name IS NULL", "ids": "SELECT id FROM d.t WHERE id < 0"}


def ids(catalog: Catalog, branch: str = "main") -> list[int]:
    return sorted(row[0] for row in catalog.branch(branch).sql("SELECT id FROM d.t").rows)


def branches(catalog: Catalog) -> list[str]:
    return sorted(entry["name"] for entry in catalog.branches())


def test_passed_checks_merge_and_drop_the_branch(catalog: Catalog) -> None:
    with Publication(catalog, "loads/1", checks=CHECKS) as run:
        run.sql("INSERT INTO d.t VALUES (?, ?)", [3, "c"])
        assert (ids(catalog), ids(catalog, "loads/1")) == ([1, 2], [1, 2, 3])
    assert run.merged is not None
    assert run.outcome["merge_id"] == catalog.merges()[0]["merge_id"]
    assert (ids(catalog), branches(catalog)) == ([1, 2, 3], ["main"])


def test_rows_failing_checks_are_named_and_stop_runs(catalog: Catalog) -> None:
    with (
        pytest.raises(ChecksFailed, match="no_nameless found 2 rows") as refused,
        Publication(catalog, "loads/1", checks=CHECKS) as run,
    ):
        run.sql("INSERT INTO d.t VALUES (3, NULL), (4, NULL)")
    (failure,) = pickle.loads(pickle.dumps(refused.value)).failures
    assert (failure["name"], failure["rows"], len(failure["sample"])) == ("no_nameless", 2, 2)
    assert (ids(catalog), branches(catalog)) == ([1, 2], ["loads/1", "main"])


def test_a_failing_block_publishes_nothing_and_locates_rows(catalog: Catalog) -> None:
    def load() -> None:
        with Publication(catalog, "loads/1") as run:
            run.sql("INSERT INTO d.t VALUES (3, 'c')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as broken:
        load()
    assert "Branch loads/1" in broken.value.__notes__[0]
    assert (ids(catalog), ids(catalog, "loads/1")) == ([1, 2], [1, 2, 3])


def test_a_later_attempt_stops_the_earlier_one(catalog: Catalog) -> None:
    lost = Publication(catalog, "loads/1").__enter__()
    lost.sql("INSERT INTO d.t VALUES (3, 'lost')")
    with Publication(catalog, "loads/1", attempt=2) as run:
        run.sql("INSERT INTO d.t VALUES (3, 'c')")
    with pytest.raises(NotFound):
        lost.__exit__(None, None, None)
    assert (ids(catalog), branches(catalog)) == ([1, 2, 3], ["main"])


def test_a_merged_run_is_not_published_again(catalog: Catalog) -> None:
    with Publication(catalog, "loads/1") as first:
        first.sql("INSERT INTO d.t VALUES (3, 'c')")
    for attempt in (1, 2, 3):
        with pytest.raises(AlreadyPublished) as refused:
            Publication(catalog, "loads/1", attempt=attempt).__enter__()
        assert refused.value.problem["merge_id"] == first.outcome["merge_id"]
    assert branches(catalog) == ["main"]
    with Publication(catalog, "loads/2", attempt=2) as other:
        other.sql("DELETE FROM d.t WHERE id = 3")
    with pytest.raises(AlreadyPublished):
        Publication(catalog, "loads/2", attempt=3).__enter__()


def test_beside_itself_a_run_has_one_branch(catalog: Catalog) -> None:
    Publication(catalog, "loads/1").__enter__()
    with pytest.raises(LakeError) as refused:
        Publication(catalog, "loads/1").__enter__()
    assert refused.value.status == 409


def test_a_request_is_opened_where_people_decide(catalog: Catalog, person: Person) -> None:
    protect(catalog)
    mine = person(Role.CONTRIBUTOR)
    with pytest.raises(WaitsForPeople), Publication(mine, "loads/1") as run:
        run.sql("INSERT INTO d.t VALUES (3, 'c')")
    with Publication(mine, "loads/2", publish="either", title="Flights of today", checks=CHECKS) as run:
        run.sql("INSERT INTO d.t VALUES (3, 'c')")
    assert run.request is not None
    assert run.merged is None
    assert run.request.get()["title"] == "Flights of today"
    with pytest.raises(AlreadyPublished) as refused:
        Publication(mine, "loads/2", attempt=2).__enter__()
    assert refused.value.problem["request"] == run.request.number
    assert (ids(catalog), "loads/2" in branches(catalog)) == ([1, 2], True)


def test_a_request_is_opened_without_being_required(catalog: Catalog) -> None:
    with Publication(catalog, "loads/1", publish="request") as run:
        run.sql("INSERT INTO d.t VALUES (3, 'c')")
    assert run.request is not None
    assert (run.request.get()["title"], ids(catalog)) == ("Publish loads/1", [1, 2])


def test_a_conflict_refuses_and_the_branch_stays(catalog: Catalog) -> None:
    run = Publication(catalog, "loads/1").__enter__()
    run.sql("UPDATE d.t SET name = 'x' WHERE id = 1")
    catalog.branch("main").sql("UPDATE d.t SET name = 'y' WHERE id = 1")
    with pytest.raises(ConflictError):
        run.__exit__(None, None, None)
    assert branches(catalog) == ["loads/1", "main"]


def test_an_invalid_run_is_refused_before_any_change(catalog: Catalog) -> None:
    with pytest.raises(LakeError, match="published by"):
        Publication(catalog, "loads/1", publish="push")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(LakeError, match="no attempt 0"):
        Publication(catalog, "loads/1", attempt=0)
    with pytest.raises(LakeError, match="named as a later attempt"):
        Publication(catalog, "loads/1.2")
    with pytest.raises(LakeError, match="has not begun"):
        Publication(catalog, "loads/1").sql("SELECT 1")
    with pytest.raises(LakeError, match="typo is no query"):
        Publication(catalog, "loads/1", checks={"typo": "DELETE FROM d.t"})
    assert branches(catalog) == ["main"]
