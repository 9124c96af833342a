"""A decision may open the next conflict: a new table needs a database, and its database is left out."""

from __future__ import annotations

import pytest

from lakeui.common.errors import NoOpenConflict
from merge_app.review.models import MergeRequest
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.review.test_resolutions import decide, lake, merged, settled

__all__ = ["lake"]
pytestmark = pytest.mark.usefixtures("local_worker")


@pytest.fixture
def made(lake: ReviewLake) -> ReviewLake:
    """Branch c makes a database with a table, and main one of the same name."""
    lake.write("CREATE DATABASE news", "alice", "c")
    lake.write("CREATE TABLE news.t (id INT)", "alice", "c")
    lake.write("INSERT INTO news.t VALUES (1)", "alice", "c")
    lake.write("CREATE DATABASE news", "dora")
    return lake


@pytest.fixture
def request_made(made: ReviewLake) -> MergeRequest:
    return made.open(source="c")


def tables(lake: ReviewLake) -> list[str]:
    return [row[1] for row in lake.write("SHOW TABLES IN news", "alice").rows]


def test_both_are_decided_one_after_the_other(made: ReviewLake, request_made: MergeRequest) -> None:
    ids = {item["name"]: item["object_id"] for item in made.get("compare/c...main/").json()["results"]}
    problem(decide(made, ids["news.t"], "leave_out"), 422, "NO_OPEN_CONFLICT")
    assert decide(made, ids["news"], "leave_out", object_kind="database").status_code == 201
    assert settled(made, request_made) == ("conflicted", 1)
    second = decide(made, ids["news.t"], "leave_out")
    assert second.status_code == 201, second.content
    assert second.json()["rows_left_out"] == 1
    # What is decided already can still be decided otherwise.
    assert decide(made, ids["news"], "destination", object_kind="database").status_code == 201
    assert settled(made, request_made)[1] == 0
    merged(made)
    assert tables(made) == []
    made.write("CREATE DATABASE later", "alice", "c")
    assert made.write("MERGE BRANCH c", "alice").extra["outcome"] == "merged"
    assert tables(made) == []


@pytest.mark.parametrize("order", [("DATABASE news", "TABLE news.t"), ("TABLE news.t", "DATABASE news")])
def test_both_stand_in_one_statement(made: ReviewLake, order: tuple[str, str]) -> None:
    done = made.write(f"MERGE BRANCH c RESOLVE ({', '.join(f'{item} SKIP' for item in order)})", "alice").extra
    assert done["outcome"] == "merged"
    assert tables(made) == []


def test_second_decisions_that_no_first_opens_are_refused(made: ReviewLake) -> None:
    with pytest.raises(NoOpenConflict, match=r"answers no open conflict of table news\.t\."):
        made.write("MERGE BRANCH c RESOLVE (DATABASE news RENAME TO others, TABLE news.t SKIP)", "alice")
