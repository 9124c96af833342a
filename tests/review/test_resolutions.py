"""``…/resolutions/``: conflicts that people decide, what comes out of the merge, and of merges after it."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.services.files import addresses_allocate
from catalog_app.services.integrity import catalog_check
from lakeui.frontdoor import compute
from merge_app.audit.selectors import audit_get
from merge_app.review.models import MergeRequest
from merge_app.review.verification import audit_verify
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.support.memory_merging import MergingMemoryEngine
from tests.support.stored_databases import StoredDatabases

pytestmark = pytest.mark.usefixtures("local_worker")


@pytest.fixture
def lake(stored: StoredDatabases, monkeypatch: pytest.MonkeyPatch) -> ReviewLake:
    """Beside d.t, whose rows are nowhere, table d.r with one row; branch c is cut from there."""
    engine = MergingMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    return stored.once("lake", _lake_make, engine)


def _lake_make() -> ReviewLake:
    fresh = ReviewLake()
    fresh.write("CREATE TABLE d.r (id INT, v STRING)", "alice")
    fresh.write("INSERT INTO d.r VALUES (1, 'base')", "alice")
    fresh.write("CREATE BRANCH c", "alice")
    return fresh


def rows(lake: ReviewLake, branch: str = "main", table: str = "d.r") -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in lake.write(f"SELECT * FROM {table}", "alice", branch).rows)


def object_id(lake: ReviewLake, branch: str, name: str = "r") -> int:
    return next(int(row[2]) for row in lake.write("SHOW TABLES IN d", "alice", branch).rows if row[1] == name)


def decide(lake: ReviewLake, table: int, decision: str, by: str = "alice", number: int = 1, **body: Any) -> Any:
    heads = {"source_head": lake.branch("c").head_version, "destination_head": lake.branch("main").head_version}
    given = {"object_kind": "table", "object_id": table, "decision": decision, **heads, **body}
    return lake.post(by, f"{number}/resolutions/", given)


def merged(lake: ReviewLake, number: int = 1) -> Any:
    response = lake.post("alice", f"{number}/merge/", {})
    assert response.status_code == 200, response.content
    assert catalog_check(lake.branch("main").catalog) == []
    return response.json()


def settled(lake: ReviewLake, request: MergeRequest) -> tuple[str, int]:
    found = lake.detail(request)
    return found["state"], found["planned"]["conflicts"]


def merged_again(lake: ReviewLake) -> None:
    """What was merged does not come again."""
    lake.write("CREATE DATABASE news", "alice", "c")
    before = rows(lake)
    assert lake.write("MERGE BRANCH c", "alice").extra["outcome"] == "merged"
    assert rows(lake) == before


@pytest.fixture
def conflict(lake: ReviewLake) -> MergeRequest:
    """The branch updated the row, main inserted another one."""
    lake.write("UPDATE d.r SET v = 'source' WHERE id = 1", "alice", "c")
    lake.write("INSERT INTO d.r VALUES (2, 'main')", "dora")
    return lake.open(source="c")


@pytest.mark.parametrize(
    ("decision", "result"),
    [
        ("source", [(1, "source")]),
        ("destination", [(1, "base"), (2, "main")]),
        ("leave_out", [(1, "base"), (2, "main")]),
    ],
)
def test_a_decided_table_stays_so_later(
    lake: ReviewLake, conflict: MergeRequest, decision: str, result: list[tuple[Any, ...]]
) -> None:
    problem(lake.post("alice", "1/merge/", {}), 409, "MERGE_CONFLICT")
    assert decide(lake, object_id(lake, "main"), decision).status_code == 201
    assert settled(lake, conflict) == ("open", 0)
    body = merged(lake)
    assert rows(lake) == result
    record = audit_get(body["merge_id"])
    assert [(item["author"], item["decision"]) for item in record["resolutions"]] == [("alice", decision)]
    assert [item["code"] for item in record["findings"] if item["verdict"] == "decided"] == ["PREDICATE_DML_VS_INSERT"]
    assert audit_verify(conflict.catalog) == []
    merged_again(lake)
    lake.write("INSERT INTO d.r VALUES (3, 'later')", "alice", "c")
    lake.write("MERGE BRANCH c", "alice")
    assert rows(lake) == sorted([*result, (3, "later")])


def test_merge_back_brings_decision_to_source(lake: ReviewLake, conflict: MergeRequest) -> None:
    decide(lake, object_id(lake, "main"), "source")
    merged(lake)
    lake.write("MERGE BRANCH main TO c", "alice")
    assert rows(lake, "c") == rows(lake) == [(1, "source")]


def test_comparison_shows_what_merge_does_with_the_decision(lake: ReviewLake, conflict: MergeRequest) -> None:
    table = object_id(lake, "main")
    plain = lake.read("compare/c...main/")
    decide(lake, table, "source")
    found = lake.read("compare/c...main/?merge_request=1")
    assert (plain["mergeable"], found["mergeable"], found["counts"]["decided"]) == (False, True, 1)
    assert [entry["verdict"] for entry in found["results"]] == ["decided"]
    assert found["fingerprint"] not in (plain["fingerprint"], "")
    assert lake.read("compare/c...main/") == plain
    detail = lake.read(f"compare/c...main/objects/table/{table}/?merge_request=1")
    assert [cell["verdict"] for cell in detail["cells"]] == ["decided", "note"]
    assert detail["cells"][0]["details"]["resolutions"][0]["decision"] == "source"
    assert detail["preview"]["rows_after"] == 1
    assert merged(lake)["fingerprint"] == found["fingerprint"]
    problem(lake.get("compare/b...main/?merge_request=1"), 400, "INVALID_VALUE")


def test_merge_is_blocked_until_last_conflict_is_decided(lake: ReviewLake, conflict: MergeRequest) -> None:
    lake.write("DROP TABLE d.t", "dora")
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'c')", "alice", "c")
    first, second = object_id(lake, "c"), object_id(lake, "c", "t")
    assert decide(lake, first, "destination").status_code == 201
    assert settled(lake, conflict) == ("conflicted", 1)
    problem(lake.post("alice", "1/merge/", {}), 409, "MERGE_BLOCKED")
    decide(lake, second, "leave_out")
    assert settled(lake, conflict) == ("open", 0)
    merged(lake)
    assert rows(lake) == [(1, "base"), (2, "main")]


@pytest.mark.parametrize(("decision", "is_back"), [("source", True), ("destination", False)])
def test_table_dropped_by_target_returns_or_stays_dropped(lake: ReviewLake, decision: str, is_back: bool) -> None:
    lake.write("INSERT INTO d.r VALUES (5, 'source')", "alice", "c")
    lake.write("DROP TABLE d.r", "dora")
    request = lake.open(source="c")
    decide(lake, object_id(lake, "c"), decision)
    assert settled(lake, request) == ("open", 0)
    merged(lake)
    tables = [row[1] for row in lake.write("SHOW TABLES IN d", "alice").rows]
    assert ("r" in tables) == is_back
    if is_back:
        assert rows(lake) == [(1, "base"), (5, "source")]
        merged_again(lake)


def test_tables_of_one_name_stay_under_two_names(lake: ReviewLake) -> None:
    lake.write("CREATE TABLE d.x (id INT)", "alice", "c")
    lake.write("INSERT INTO d.x VALUES (1)", "alice", "c")
    lake.write("CREATE TABLE d.x (id INT)", "dora")
    request = lake.open(source="c")
    theirs = object_id(lake, "c", "x")
    decide(lake, theirs, "rename", name="r")
    assert settled(lake, request) == ("conflicted", 1)
    decide(lake, theirs, "rename", name="x2")
    assert settled(lake, request) == ("open", 0)
    merged(lake)
    assert (rows(lake, table="d.x"), rows(lake, table="d.x2")) == ([], [(1,)])
    lake.write("INSERT INTO d.x VALUES (2)", "alice", "c")
    lake.write("MERGE BRANCH c", "alice")
    assert (rows(lake, table="d.x"), rows(lake, table="d.x2")) == ([], [(1,), (2,)])


def test_a_left_out_table_asks_again_when_changed(lake: ReviewLake) -> None:
    lake.write("CREATE TABLE d.x (id INT)", "alice", "c")
    lake.write("CREATE TABLE d.x (id INT)", "dora")
    request = lake.open(source="c")
    decide(lake, object_id(lake, "c", "x"), "leave_out")
    assert settled(lake, request) == ("open", 0)
    merged(lake)
    lake.write("INSERT INTO d.x VALUES (2)", "alice", "c")
    dry = lake.write("MERGE BRANCH c DRY RUN", "alice").extra
    assert [item["code"] for item in dry["conflicts"]] == ["OBJECT_DROPPED_ON_DEST"]


def test_one_column_stays_with_target_and_rest_merges(lake: ReviewLake) -> None:
    lake.write("ALTER TABLE d.r ALTER COLUMN id TYPE BIGINT", "dora")
    lake.write("ALTER TABLE d.r ALTER COLUMN id TYPE BIGINT", "alice", "c")
    lake.write("ALTER TABLE d.r ADD COLUMN w INT", "alice", "c")
    lake.write("ALTER TABLE d.r DROP COLUMN v", "dora")
    lake.write("ALTER TABLE d.r RENAME COLUMN v TO vv", "alice", "c")
    request = lake.open(source="c")
    lake.review("bob", request, "request_changes")
    lake.review("bob", request, "withdraw")
    assert settled(lake, request) == ("conflicted", 1)
    decide(lake, object_id(lake, "main"), "destination", part="column", part_key="2")
    assert settled(lake, request) == ("open", 0)
    merged(lake)
    assert [row[0] for row in lake.write("DESCRIBE TABLE d.r", "alice").rows] == ["id", "w"]


def test_property_unset_on_both_sides_is_decided_alone(lake: ReviewLake) -> None:
    lake.write("ALTER TABLE d.r SET TBLPROPERTIES ('p' = '1', 'q' = '1')", "alice", "main")
    lake.write("MERGE BRANCH main TO c", "alice")
    lake.write("ALTER TABLE d.r UNSET TBLPROPERTIES ('p')", "dora")
    lake.write("ALTER TABLE d.r UNSET TBLPROPERTIES ('p')", "alice", "c")
    lake.write("ALTER TABLE d.r SET TBLPROPERTIES ('q' = '2')", "alice", "c")
    request = lake.open(source="c")
    decide(lake, object_id(lake, "main"), "source", part="property", part_key="p")
    assert settled(lake, request) == ("open", 0)
    merged(lake)
    found = lake.read("branches/main/databases/d/tables/r/")["properties"]
    assert found == {"q": "2"}


@pytest.mark.parametrize(("decision", "properties"), [("source", {}), ("destination", {"p": "2"})])
def test_one_property_is_decided_and_the_other_merged(
    lake: ReviewLake, decision: str, properties: dict[str, str]
) -> None:
    lake.write("ALTER TABLE d.r SET TBLPROPERTIES ('p' = '1')", "alice", "main")
    lake.write("MERGE BRANCH main TO c", "alice")
    lake.write("ALTER TABLE d.r SET TBLPROPERTIES ('p' = '2')", "dora")
    lake.write("ALTER TABLE d.r UNSET TBLPROPERTIES ('p')", "alice", "c")
    lake.write("ALTER TABLE d.r SET TBLPROPERTIES ('q' = '2')", "alice", "c")
    lake.open(source="c")
    assert decide(lake, object_id(lake, "main"), decision, part="property", part_key="p").status_code == 201
    merged(lake)
    assert lake.read("branches/main/databases/d/tables/r/")["properties"] == {**properties, "q": "2"}


def test_one_partition_stays_with_target_and_rest_merges(lake: ReviewLake) -> None:
    lake.write("CREATE TABLE d.p (id INT, k STRING) PARTITIONED BY (k)", "alice")
    for key in ("x", "y"):
        lake.write(f"INSERT INTO d.p VALUES (1, '{key}')", "alice")
    lake.write("MERGE BRANCH main TO c", "alice")
    lake.write("ALTER TABLE d.p DROP PARTITION (k = 'x')", "dora")
    lake.write("ALTER TABLE d.p PARTITION (k = 'x') RENAME TO PARTITION (k = 'z')", "alice", "c")
    lake.write("ALTER TABLE d.p ADD PARTITION (k = 'new')", "alice", "c")
    request = lake.open(source="c")
    found = problem(lake.post("alice", "1/merge/", {}), 409, "MERGE_CONFLICT")
    assert [conflict["code"] for conflict in found["conflicts"]] == ["PARTITION_DROPPED_ON_DEST"]
    table = object_id(lake, "main", "p")
    assert decide(lake, table, "destination", by="carol", part="partition", part_key='["x"]').status_code == 201
    assert settled(lake, request) == ("open", 0)
    record = audit_get(merged(lake)["merge_id"])
    (decided,) = record["resolutions"]
    assert (decided["author"], decided["part"], decided["part_key"]) == ("carol", "partition", '["x"]')
    assert [row[0] for row in lake.write("SHOW PARTITIONS d.p", "alice").rows] == ["k=new", "k=y"]
    assert rows(lake, table="d.p") == [(1, "y")]


def test_partition_is_named_by_values_of_any_characters(lake: ReviewLake) -> None:
    lake.write("CREATE TABLE d.p (id INT, k STRING, l STRING) PARTITIONED BY (k, l)", "alice")
    for values in ("'a/b', 'c'", "'a', 'b/c'"):
        lake.write(f"INSERT INTO d.p VALUES (1, {values})", "alice")
    lake.write("MERGE BRANCH main TO c", "alice")
    for partition in ("k = 'a/b', l = 'c'", "k = 'a', l = 'b/c'"):
        lake.write(f"ALTER TABLE d.p DROP PARTITION ({partition})", "dora")
        renamed = partition.replace("c'", "d'")
        lake.write(f"ALTER TABLE d.p PARTITION ({partition}) RENAME TO PARTITION ({renamed})", "alice", "c")
    request, table = lake.open(source="c"), object_id(lake, "main", "p")
    for unclear in ("a/b/c", '{"k": "a"}', "[1]"):
        problem(decide(lake, table, "destination", part="partition", part_key=unclear), 400, "INVALID_VALUE")
    decided = decide(lake, table, "destination", part="partition", part_key='[ "a/b", "c" ]')
    assert decided.json()["part_key"] == '["a/b","c"]'
    assert settled(lake, request) == ("conflicted", 1)
    decide(lake, table, "destination", part="partition", part_key='["a","b/c"]')
    assert settled(lake, request) == ("open", 0)


def test_decision_holds_only_for_heads_looked_at(lake: ReviewLake, conflict: MergeRequest) -> None:
    table = object_id(lake, "main")
    problem(decide(lake, table, "source", destination_head=1), 412, "STALE")
    decide(lake, table, "source")
    lake.write("INSERT INTO d.r VALUES (9, 'moved')", "dora")
    (found,) = lake.read("merge-requests/1/resolutions/")["results"]
    assert (found["is_current"], found["decision"], found["author"]) == (False, "source", "alice")
    problem(lake.post("alice", "1/merge/", {}), 409, "MERGE_CONFLICT")
    assert rows(lake) == [(1, "base"), (2, "main"), (9, "moved")]
    decide(lake, table, "source")
    merged(lake)
    assert rows(lake) == [(1, "source")]
    lake.write("INSERT INTO d.r VALUES (10, 'after the merge')", "dora")
    (kept,) = lake.read("merge-requests/1/resolutions/")["results"]
    assert (kept["is_current"], kept["decision"]) == (True, "source")


def test_new_decision_replaces_first_and_makes_approvals_stale(lake: ReviewLake, conflict: MergeRequest) -> None:
    lake.protect()
    table = object_id(lake, "main")
    decide(lake, table, "source", by="alice")
    seen = lake.read("compare/c...main/?merge_request=1")["fingerprint"]
    assert lake.review("bob", conflict, fingerprint=seen).status_code == 201
    assert lake.detail(conflict)["state"] == "approved"
    decide(lake, table, "destination", by="carol")
    detail = lake.detail(conflict)
    assert (detail["state"], detail["votes"][0]["reason"]) == ("open", "saw other resolutions of its conflicts")
    problem(lake.post("alice", "1/merge/", {}), 409, "MERGE_BLOCKED")
    (left,) = lake.read("merge-requests/1/resolutions/")["results"]
    assert (left["author"], left["decision"]) == ("carol", "destination")
    changes = lake.read(f"merge-requests/1/reviews/{detail['votes'][0]['review']}/changes/")
    assert changes["resolutions_changed"] is True
    (decision,) = changes["decisions"]
    assert (decision["change"], decision["decision"], changes["summary"]) == (
        "changed", "destination", "1 decision is changed.",
    )  # fmt: skip
    assert [item["change"] for item in changes["objects"]] == ["changed"]


def test_withdrawn_decision_reopens_conflict(lake: ReviewLake, conflict: MergeRequest) -> None:
    decision = decide(lake, object_id(lake, "main"), "source").json()["id"]
    path = f"{lake.requests}1/resolutions/{decision}/"
    carol = lake.people["carol"]
    assert carol.client.delete(path, headers=carol.headers).status_code == 204
    assert settled(lake, conflict) == ("conflicted", 1)
    problem(carol.client.delete(path, headers=carol.headers), 404, "NOT_FOUND")
    kinds = [kind for kind, _, _ in lake.timeline(conflict)]
    assert kinds.count("resolution") == 2


def test_what_cannot_be_decided_is_refused(lake: ReviewLake, conflict: MergeRequest) -> None:
    table = object_id(lake, "main")
    for wrong in (
        {"decision": "rename"},
        {"decision": "source", "name": "x"},
        {"decision": "source", "part": "column", "part_key": "1"},
        {"decision": "destination", "part": "property"},
        {"decision": "destination", "part_key": "p"},
        {"decision": "nonsense"},
    ):
        problem(decide(lake, table, **{"decision": "source", **wrong}), 400, "INVALID_VALUE")
    problem(decide(lake, table, "source", by="victor"), 403, "PERMISSION_DENIED")
    assert lake.read("merge-requests/1/resolutions/")["results"] == []


# -- rows -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def clash(lake: ReviewLake) -> MergeRequest:
    """In the table d.k, which has a primary key, c and main changed three rows, and c deleted one that main changed."""
    lake.write("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING, n INT)", "alice")
    lake.write("INSERT INTO d.k VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'd', 4)", "alice")
    lake.write("MERGE BRANCH main TO c", "alice")
    lake.write("UPDATE d.k SET v = 'source', n = n + 100 WHERE id < 4", "alice", "c")
    lake.write("DELETE FROM d.k WHERE id = 4", "alice", "c")
    lake.write("UPDATE d.k SET v = 'main', n = n + 10", "dora")
    return lake.open(source="c")


def key(number: int) -> str:
    return f'{{"id":{number}}}'


def open_keys(lake: ReviewLake) -> list[str]:
    """Keys of the rows that nothing decides, page by page."""
    table = object_id(lake, "main", "k")
    address = f"compare/c...main/objects/table/{table}/rows/sides/?only=conflicts&merge_request=1&limit=3"
    found: list[str] = []
    while address:
        page = lake.read(address)
        found += [row["key"] for row in page["rows"] if row["is_open"]]
        address = (page["next"] or "").rpartition(lake.address)[2]
    return found


def test_rule_row_and_cell_decide_conflicting_rows(lake: ReviewLake, clash: MergeRequest) -> None:
    table = object_id(lake, "main", "k")
    assert open_keys(lake) == [key(number) for number in (1, 2, 3, 4)]
    assert decide(lake, table, "larger", part="rows").status_code == 201
    assert open_keys(lake) == [key(4)]
    assert decide(lake, table, "destination", part="row", part_key=key(1)).status_code == 201
    assert decide(lake, table, "edited", part="cell", part_key=f"2:{key(2)}", value='"by hand"').status_code == 201
    assert settled(lake, clash) == ("conflicted", 1)
    assert decide(lake, table, "edited", part="row", part_key=key(4), value='{"n": 0}').status_code == 201
    assert (open_keys(lake), settled(lake, clash)) == ([], ("open", 0))
    record = audit_get(merged(lake)["merge_id"])
    assert rows(lake, table="d.k") == [(1, "main", 11), (2, "by hand", 102), (3, "source", 103), (4, "main", 0)]
    values = {(item["part"], item["part_key"]): item.get("value", "") for item in record["resolutions"]}
    assert values["cell", f"2:{key(2)}"] == '"by hand"'
    assert {item["code"] for item in record["findings"] if item["verdict"] == "decided"} == {"PRIMARY_KEY_CLASH"}


def test_newer_row_wins_where_a_column_says_so(lake: ReviewLake, clash: MergeRequest) -> None:
    table = object_id(lake, "main", "k")
    assert decide(lake, table, "newest", part="rows", value="n").status_code == 201
    assert decide(lake, table, "source", part="row", part_key=key(4)).status_code == 201
    merged(lake)
    assert rows(lake, table="d.k") == [(1, "source", 101), (2, "source", 102), (3, "source", 103)]


@pytest.mark.parametrize(
    ("decision", "body"),
    [
        ("edited", {"part": "cell", "part_key": '2:{"id":2}', "value": "no json"}),
        ("edited", {"part": "row", "part_key": '{"id":2}', "value": "[1]"}),
        ("edited", {"part": "row", "part_key": '{"id":2}'}),
        ("newest", {"part": "row", "part_key": '{"id":2}', "value": "n"}),
        ("larger", {"part": "cell", "part_key": '{"id":2}'}),
        ("larger", {"part": "row"}),
        ("larger", {"part": "rows", "value": "1"}),
        ("larger", {}),
        ("rename", {"part": "row", "part_key": '{"id":2}', "name": "x"}),
    ],
)
def test_what_cannot_be_decided_of_rows_is_refused(
    lake: ReviewLake, clash: MergeRequest, decision: str, body: dict[str, Any]
) -> None:
    problem(decide(lake, object_id(lake, "main", "k"), decision, **body), 400, "INVALID_VALUE")


def test_rows_stand_side_by_side_with_conflicts_first(lake: ReviewLake, clash: MergeRequest) -> None:
    lake.write("INSERT INTO d.k VALUES (0, 'new', 0)", "alice", "c")
    table = object_id(lake, "main", "k")
    page = lake.read(f"compare/c...main/objects/table/{table}/rows/sides/")
    assert [(row["key"], row["is_conflict"]) for row in page["rows"]] == [
        *((key(number), True) for number in (1, 2, 3, 4)),
        (key(0), False),
    ]
    first, last = page["rows"][0], page["rows"][3]
    assert (first["base"], first["source"], first["destination"]) == ([1, "a", 1], [1, "source", 101], [1, "main", 11])
    assert (last["source_change"], last["dest_change"], last["source"]) == ("delete", "update", None)
    assert [column["is_key"] for column in page["columns"]] == [True, False, False]


def knows_half(lake: ReviewLake, own: str) -> None:
    """Main knows an update that x took back; c merged x, and did ``own``."""
    lake.write("CREATE BRANCH x", "alice")
    before = lake.branch("x").head_version
    lake.write("UPDATE d.r SET v = 'taken back' WHERE id = 1", "alice", "x")
    lake.write("MERGE BRANCH x TO main", "alice")
    lake.write(f"RESTORE TABLE d.r TO VERSION AS OF {before}", "alice", "x")
    lake.write("MERGE BRANCH x TO c", "alice")
    lake.write(own, "alice", "c")


OWN = ["INSERT INTO d.r VALUES (2, 'source')", "CREATE DATABASE news"]


@pytest.mark.parametrize("own", OWN)
def test_a_partly_known_restore_merges(lake: ReviewLake, own: str) -> None:
    """The restored rows are news to main, whoever brings them (lineage §4a)."""
    knows_half(lake, own)
    expected = rows(lake, "c")
    lake.open(source="c")
    merged(lake)
    for branch in ("c", "x"):
        lake.write(f"MERGE BRANCH main TO {branch}", "alice")
        assert rows(lake, branch) == rows(lake) == expected
