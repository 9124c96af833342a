"""``rerun``: the source's recorded statements run on the target's rows, refused by name where they cannot be."""

from __future__ import annotations

import pytest

from lakeui.sql.allowlist import is_repeatable
from lakeui.sql.dialect import read_expression
from merge_app.audit.selectors import audit_get
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.review.test_resolutions import decide, lake, merged, object_id, rows, settled

__all__ = ["lake"]
pytestmark = pytest.mark.usefixtures("local_worker")


@pytest.fixture(params=["one file", "several files"])
def three(lake: ReviewLake, request: pytest.FixtureRequest) -> int:
    """Table d.s with three rows on both branches; its id."""
    lake.write("CREATE TABLE d.s (id INT, v STRING, n INT)", "alice")
    for values in (
        ("(1, 'a', 1), (2, 'b', 2), (3, 'c', 3)",)
        if request.param == "one file"
        else (
            "(1, 'a', 1)",
            "(2, 'b', 2)",
            "(3, 'c', 3)",
        )
    ):
        lake.write(f"INSERT INTO d.s VALUES {values}", "alice")
    lake.write("MERGE BRANCH main TO c", "alice")
    return object_id(lake, "main", "s")


def way_back(lake: ReviewLake) -> None:
    """Both branches hold the same once the source pulls, and after further changes of either."""
    lake.write("MERGE BRANCH main TO c", "alice")
    assert rows(lake, "c", "d.s") == rows(lake, table="d.s")
    lake.write("UPDATE d.s SET v = 'later' WHERE id <> 2", "alice", "c")
    lake.write("MERGE BRANCH c", "alice")
    assert rows(lake, "c", "d.s") == rows(lake, table="d.s")
    lake.write("DELETE FROM d.s WHERE id = 1", "dora")
    lake.write("MERGE BRANCH main TO c", "alice")
    assert rows(lake, "c", "d.s") == rows(lake, table="d.s")


@pytest.mark.parametrize("condition", ["", " WHERE n <> 2"], ids=["all rows", "some rows"])
def test_update_runs_on_all_rows_of_target(lake: ReviewLake, three: int, condition: str) -> None:
    lake.write(f"UPDATE d.s SET n = n + 10{condition}", "alice", "c")
    lake.write("INSERT INTO d.s VALUES (4, 'd', 4)", "dora")
    request = lake.open(source="c")
    made = decide(lake, three, "rerun").json()
    version = lake.branch("c").head_version
    assert made["effect"] == (
        f"Keeps both, and runs what c did again on the new rows of main: the UPDATE of version {version} changes 1 row."
    )
    assert settled(lake, request) == ("open", 0)
    body = merged(lake)
    expected = [(1, "a", 11), (2, "b", 12), (3, "c", 13), (4, "d", 14)]
    assert rows(lake, table="d.s") == [(2, "b", 2) if condition and row[0] == 2 else row for row in expected]
    record = audit_get(body["merge_id"])
    assert [(item["verdict"], item["source_op"]) for item in record["findings"]] == [("decided", "update")]
    way_back(lake)


def test_several_statements_are_run_in_their_order(lake: ReviewLake, three: int) -> None:
    lake.write("UPDATE d.s SET n = n + 10 WHERE n = 4 OR n = 1", "alice", "c")
    lake.write("DELETE FROM d.s WHERE n >= 14 OR n = 3", "alice", "c")
    lake.write("UPDATE d.s SET v = 'x' WHERE n = 11", "alice", "c")
    lake.write("INSERT INTO d.s VALUES (4, 'd', 4), (5, 'e', 5)", "dora")
    request = lake.open(source="c")
    assert decide(lake, three, "rerun").status_code == 201
    assert settled(lake, request) == ("open", 0)
    merged(lake)
    assert rows(lake, table="d.s") == [(1, "x", 11), (2, "b", 2), (5, "e", 5)]
    way_back(lake)


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        (["MERGE INTO d.s USING (SELECT * FROM d.s) AS o ON s.id = o.id WHEN MATCHED THEN DELETE"], "is no UPDATE or"),
        (
            ["ALTER TABLE d.s ADD COLUMN z INT", "UPDATE d.s SET z = 1"],
            "names the column z, which the target lacks",
        ),
    ],
)
def test_what_cannot_run_again_is_refused_by_name(
    lake: ReviewLake, three: int, statements: list[str], reason: str
) -> None:
    for statement in statements:
        lake.write(statement, "alice", "c")
    lake.write("INSERT INTO d.s VALUES (4, 'd', 4)", "dora")
    lake.open(source="c")
    found = problem(decide(lake, three, "rerun"), 400, "NOT_SUPPORTED")
    assert reason in found["detail"]
    results = lake.read(f"compare/c...main/objects/table/{three}/decisions/")["results"]
    (reported,) = [item for item in results if item["decision"] == "rerun"]
    assert reason in reported["refused"]


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("v = 'a' AND n + 1 > 2", True),
        ("upper(v)", True),
        ("uuid()", False),
        ("concat(v, uuid())", False),
        ("current_date()", False),
        ("CAST(current_timestamp AS STRING)", False),
        ("now()", False),
        ("n < rand() * 5", False),
    ],
)
def test_expression_is_repeatable_unless_using_time_or_chance(text: str, is_so: bool) -> None:
    assert is_repeatable(read_expression(text)) is is_so


def test_target_that_did_more_than_insert_is_refused(lake: ReviewLake, three: int) -> None:
    lake.write("UPDATE d.s SET n = 0 WHERE id = 1", "alice", "c")
    lake.write("INSERT INTO d.s VALUES (4, 'd', 4)", "dora")
    lake.write("OPTIMIZE d.s", "dora")
    lake.open(source="c")
    found = problem(decide(lake, three, "rerun"), 400, "NOT_SUPPORTED")
    assert "of the target holds a change of kind compaction" in found["detail"]


def test_the_statement_is_lakeuis_to_say(lake: ReviewLake, three: int) -> None:
    lake.write("UPDATE d.s SET n = 0", "alice", "c")
    lake.write("INSERT INTO d.s VALUES (4, 'd', 4)", "dora")
    lake.open(source="c")
    problem(decide(lake, three, "rerun", value="[]"), 400, "INVALID_VALUE")
