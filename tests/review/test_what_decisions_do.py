"""What a decision does is said before it is taken, and stands wherever the decision does."""

from __future__ import annotations

from typing import Any

import pytest

from merge_app.audit.selectors import audit_get
from merge_app.comparison.row_effects import named_row
from merge_app.execution.lineage import lost_rows
from merge_app.planning.effects import example_text
from merge_app.review.models import MergeRequest
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.review.test_resolutions import clash, conflict, decide, key, lake, merged, object_id, rows, settled

__all__ = ["clash", "conflict", "lake"]
DECIDED = "DISCARDED_BY_DECISION"
pytestmark = pytest.mark.usefixtures("local_worker")


def decisions(lake: ReviewLake, table: int, source: str = "c") -> list[tuple[str, str, str]]:
    """The decisions that the comparison names, as (decision, part, part_key)."""
    cells = lake.read(f"compare/{source}...main/objects/table/{table}/")["cells"]
    return [(item["decision"], item["part"], item["part_key"]) for cell in cells for item in cell["decisions"]]


def test_both_keeps_changes_and_new_rows(lake: ReviewLake, conflict: MergeRequest) -> None:
    table = object_id(lake, "main")
    assert ("both", "object", "") in decisions(lake, table)
    made = decide(lake, table, "both")
    assert (made.status_code, made.json()["rows_left_out"]) == (201, 0)
    assert settled(lake, conflict) == ("open", 0)
    record = audit_get(merged(lake)["merge_id"])
    assert rows(lake) == [(1, "source"), (2, "main")]
    assert [item["code"] for item in record["notes"]] == []
    cells = [(item["verdict"], item["source_op"], item["dest_op"]) for item in record["findings"]]
    assert cells == [("decided", "update", "insert")]
    lake.write("UPDATE d.r SET v = 'again'", "alice", "c")
    lake.write("MERGE BRANCH main TO c", "alice")
    assert rows(lake, "c") == [(1, "again"), (2, "main")]
    lake.write("MERGE BRANCH c", "alice")
    assert rows(lake) == [(1, "again"), (2, "main")]


@pytest.mark.parametrize(
    ("decision", "text"),
    [
        ("source", 'Keeps the table as c has it; leaves out 1 row inserted on main: id 2, v "main".'),
        ("destination", 'Keeps the table as main has it; leaves out 1 row updated on c: id 1, v "source".'),
        ("leave_out", 'Skips the table: main stays as it is; leaves out 1 row updated on c: id 1, v "source".'),
    ],
)
def test_what_decisions_leave_out_is_shown_everywhere(
    lake: ReviewLake, conflict: MergeRequest, decision: str, text: str
) -> None:
    table = object_id(lake, "main")
    made = decide(lake, table, decision, confirm=1).json()
    assert (made["effect"], made["rows_left_out"], made["object"]) == (text, 1, "d.r")
    seen = lake.read("compare/c...main/?merge_request=1")
    assert seen["counts"]["notes"] == 1
    detail = lake.read(f"compare/c...main/objects/table/{table}/?merge_request=1")
    (note,) = [item for item in detail["cells"] if item["code"] == "DISCARDED_BY_DECISION"]
    assert note["message"] == f"On d.r, by a decision: {text}"
    assert note["details"]["effect"]["rows_left_out"] == 1
    assert lake.detail(conflict)["left_out"] == [{"object": "d.r", "decision": decision, "text": text, "rows": 1}]
    body = merged(lake)
    assert body["fingerprint"] == seen["fingerprint"]
    assert [item["message"] for item in body["notes"]] == [note["message"]]
    record = audit_get(body["merge_id"])
    assert [item["message"] for item in record["notes"]] == [note["message"]]
    (reported,) = record["resolutions"]
    assert (reported["object"], reported["effect"], reported["rows_left_out"]) == ("d.r", text, 1)
    assert not [item for item in record["findings"] if item["verdict"] == "ok"]


def test_wrong_number_of_left_out_changes_is_refused(lake: ReviewLake, conflict: MergeRequest) -> None:
    found = problem(decide(lake, object_id(lake, "main"), "source", confirm=0), 412, "STALE")
    assert "It leaves out 1 changes of rows, not 0." in found["detail"]
    assert lake.read("merge-requests/1/resolutions/")["results"] == []


def test_decision_without_conflict_is_refused_with_open_ones(lake: ReviewLake, conflict: MergeRequest) -> None:
    table, other = object_id(lake, "main"), object_id(lake, "main", "t")
    for wrong in (
        {"table": other, "decision": "source"},
        {"table": table, "decision": "rename", "name": "x"},
        {"table": table, "decision": "destination", "part": "column", "part_key": "1"},
        {"table": table, "decision": "source", "part": "property", "part_key": "p"},
        {"table": table, "decision": "source", "part": "rows"},
        {"table": table, "decision": "source", "part": "row", "part_key": '{"id":1}'},
    ):
        wanted = dict(wrong)
        found = problem(decide(lake, wanted.pop("table"), wanted.pop("decision"), **wanted), 422, "NO_OPEN_CONFLICT")
        assert [item["object"] for item in found["open"]] == ["d.r"]
        assert "both" in {item["decision"] for item in found["open"][0]["decisions"]}
        assert found["remedy"].startswith("Open: TABLE d.r KEEP BOTH | RUN AGAIN")
    assert lake.read("merge-requests/1/resolutions/")["results"] == []


def test_row_or_cell_without_conflict_is_not_decided(lake: ReviewLake, clash: MergeRequest) -> None:
    lake.write("INSERT INTO d.k VALUES (9, 'z', 9)", "alice", "c")
    table = object_id(lake, "main", "k")
    for part, part_key in (("row", key(9)), ("row", key(77)), ("cell", f"1:{key(1)}"), ("cell", f"99:{key(1)}")):
        problem(decide(lake, table, "source", part=part, part_key=part_key), 422, "NO_OPEN_CONFLICT")


@pytest.mark.parametrize("by", ["source", "destination"])
def test_a_column_is_decided_by_either_id(lake: ReviewLake, by: str) -> None:
    lake.write("ALTER TABLE d.r ADD COLUMN z STRING", "dora")
    lake.write("ALTER TABLE d.r ADD COLUMN z INT", "alice", "c")
    lake.write("UPDATE d.r SET z = 7 WHERE id = 1", "alice", "c")
    request = lake.open(source="c")
    table = object_id(lake, "main")
    detail = lake.read(f"compare/c...main/objects/table/{table}/")
    ids = {side: next(c[side]["id"] for c in detail["columns"] if c[side] and c[side]["name"] == "z") for side in (by,)}
    (cell,) = [item for item in detail["cells"] if item["code"] == "COLUMN_TYPE_NARROWING"]
    whole = "RESOLVE (TABLE d.r TAKE SOURCE | TAKE TARGET | SKIP)"
    assert f"Or decide it: RESOLVE (TABLE d.r COLUMN z TAKE TARGET), or {whole}." in cell["remedy"]
    made = decide(lake, table, "destination", part="column", part_key=str(ids[by]))
    assert made.json()["effect"] == (
        "Keeps the column as main has it; leaves out the change of 1 column on c: z; 1 value of column z written on c:"
        ' id 1, v "base", z 7.'
    )
    assert made.json()["column"] == "z"
    assert settled(lake, request) == ("open", 0)
    record = audit_get(merged(lake)["merge_id"])
    assert {item["code"] for item in record["notes"]} == {"DISCARDED_VALUE", "DISCARDED_BY_DECISION"}
    assert rows(lake) == [(1, "base", None)]


def test_decisions_about_rows_say_which_values_they_keep(lake: ReviewLake, clash: MergeRequest) -> None:
    table = object_id(lake, "main", "k")
    whole = decide(lake, table, "source", part="rows").json()
    assert whole["effect"].startswith(
        "Keeps what c has in all rows that both changed; leaves out 4 rows changed on both"
    )
    row = decide(lake, table, "destination", part="row", part_key=key(1)).json()
    assert row["effect"] == ('Row id 1: keeps v "main", n 11 of main; leaves out v "source", n 101 of c.')
    cell = decide(lake, table, "source", part="cell", part_key=f"2:{key(2)}").json()
    assert (cell["effect"], cell["column"]) == ('Row id 2: keeps v "source" of c; leaves out v "main" of main.', "v")
    gone = decide(lake, table, "source", part="row", part_key=key(4)).json()
    assert gone["effect"].startswith("Row id 4: keeps the deletion by c; leaves out the row of main")


def test_timeline_and_comments_keep_names_of_their_objects(lake: ReviewLake, clash: MergeRequest) -> None:
    table = object_id(lake, "main", "k")
    decide(lake, table, "source", part="cell", part_key=f"2:{key(2)}")
    lake.post("bob", "1/comments/", {"body": "why?", "object_kind": "table", "object_id": table})
    lake.write("DROP TABLE d.k", "dora")
    entries = {item["kind"]: item["details"] for item in lake.read("merge-requests/1/timeline/")["results"]}
    assert (entries["resolution"]["object"], entries["resolution"]["column"]) == ("d.k", "v")
    assert entries["commented"]["object"] == "d.k"
    assert lake.read("merge-requests/1/comments/")["results"][0]["object_name"] == "d.k"


def test_effects_of_all_decisions_are_shown_beforehand(lake: ReviewLake, conflict: MergeRequest) -> None:
    table = object_id(lake, "main")
    found = lake.read(f"compare/c...main/objects/table/{table}/decisions/")["results"]
    reported: dict[str, Any] = {item["decision"]: item for item in found}
    assert [(name, reported[name]["rows_left_out"]) for name in ("both", "source", "destination")] == [
        ("both", 0),
        ("source", 1),
        ("destination", 1),
    ]
    assert (
        reported["source"]["text"] == 'Keeps the table as c has it; leaves out 1 row inserted on main: id 2, v "main".'
    )
    assert reported["source"]["left_out"] == [
        {"side": "destination", "what": "rows inserted", "count": 1, "examples": ['{"id":2,"v":"main"}']}
    ]


def test_rows_alike_on_both_sides_are_not_lost(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first row differs in v, the third in w.
    monkeypatch.setattr(lost_rows, "PROBED", 1)
    monkeypatch.setattr(lost_rows, "COMPARED_AT_ONCE", 2)
    rows = ", ".join(f"({number}, 'o', 'o')" for number in range(1, 8))
    lake.write("CREATE TABLE d.w (id INT, v STRING, w STRING)", "alice", "main")
    lake.write(f"INSERT INTO d.w VALUES {rows}", "alice", "main")
    lake.write("MERGE BRANCH main TO c", "alice")
    for branch, changes in {
        "c": {"v = 'x'": "1, 2", "w = 'x'": "3", "v = 'y'": "4, 5, 6"},
        "main": {"v = 'y'": "4, 5, 7"},
    }.items():
        for values, ids in changes.items():
            lake.write(f"UPDATE d.w SET {values} WHERE id IN ({ids})", "alice", branch)
    table = object_id(lake, "main", "w")
    found = lake.read(f"compare/c...main/objects/table/{table}/decisions/")["results"]
    lost = {item["decision"]: item["rows_left_out"] for item in found}
    assert (lost["source"], lost["destination"]) == (1, 4)


def test_reviews_of_merged_request_stay_unchanged(lake: ReviewLake, conflict: MergeRequest) -> None:
    lake.protect()
    decide(lake, object_id(lake, "main"), "both")
    seen = lake.read("compare/c...main/?merge_request=1")["fingerprint"]
    assert lake.review("bob", conflict, fingerprint=seen).status_code == 201
    merged(lake)
    lake.write("INSERT INTO d.r VALUES (7, 'later')", "alice", "c")
    detail = lake.detail(conflict)
    (vote,) = detail["votes"]
    assert (vote["counts"], vote["is_stale"], vote["reason"]) == (True, False, "")
    assert (detail["approvals"], detail["stale_approvals"], detail["blockers"]) == (1, 0, [])
    (listed,) = lake.read("merge-requests/?state=merged")["results"]
    assert (listed["approvals"], listed["stale_approvals"]) == (1, 0)


def test_a_rule_for_rows_shows_its_effect(lake: ReviewLake, clash: MergeRequest) -> None:
    table = object_id(lake, "main", "k")
    at = f"compare/c...main/objects/table/{table}/"
    reported = {(item["decision"], item["part"]): item for item in lake.read(f"{at}decisions/?newest_by=n")["results"]}
    results = "; ".join(f'id {number}: v "source", n {100 + number}' for number in (1, 2, 3))
    rest = f"3 rows ({results}); 1 row stays open, as values are equal or missing (id 4)."
    assert reported["larger", "rows"]["text"] == f"Keeps the larger value of each cell that both changed: {rest}"
    assert reported["newest", "rows"]["text"] == f"Keeps the row with the later n: {rest}"
    assert {reported[rule, "rows"]["rows_left_out"] for rule in ("larger", "newest")} == {3}
    assert "newest" not in {item["decision"] for item in lake.read(f"{at}decisions/")["results"]}
    assert decide(lake, table, "newest", part="rows", value="n", confirm=3).json()["effect"].endswith(rest)
    rows_there = lake.read(f"{at}rows/sides/?only=conflicts&merge_request=1")["rows"]
    assert [row["result"] for row in rows_there] == [*([n, "source", 100 + n] for n in (1, 2, 3)), None]
    one = decide(lake, table, "larger", part="row", part_key=key(1)).json()["effect"]
    assert one.startswith('Row id 1: keeps the larger v "source", n 101 instead of')
    gone = decide(lake, table, "larger", part="row", part_key=key(4)).json()
    assert (gone["effect"], gone["rows_left_out"]) == (
        "Row id 4: no value is the larger one, so the row stays open.",
        0,
    )


def test_column_decision_counts_rows_that_lose_their_value(lake: ReviewLake) -> None:
    lake.write("ALTER TABLE d.r ADD COLUMN w INT", "alice", "main")
    lake.write("INSERT INTO d.r VALUES (3, 'x', 1), (4, 'y', 1), (5, 'z', 1)", "alice", "main")
    lake.write("MERGE BRANCH main TO c", "alice")
    lake.write("ALTER TABLE d.r DROP COLUMN w", "dora")
    lake.write("ALTER TABLE d.r DROP COLUMN v", "dora")
    lake.write("ALTER TABLE d.r RENAME COLUMN w TO ww", "alice", "c")
    lake.write("UPDATE d.r SET ww = 7, v = 'lost' WHERE id > 3", "alice", "c")
    request = lake.open(source="c")
    table = object_id(lake, "main")
    reported = next(
        item
        for item in lake.read(f"compare/c...main/objects/table/{table}/decisions/")["results"]
        if (item["decision"], item["part"]) == ("destination", "column")
    )
    assert reported["rows_left_out"] == 2
    assert "2 values of column ww written on c" in reported["text"]
    assert "column v" not in reported["text"]
    made = decide(lake, table, "destination", part="column", part_key=reported["part_key"], confirm=2).json()
    assert made["rows_left_out"] == 2
    assert settled(lake, request) == ("open", 0)
    record = audit_get(merged(lake)["merge_id"])
    (decision,) = record["resolutions"]
    assert decision["rows_left_out"] == 2
    notes = {code: [item for item in record["notes"] if item["code"] == code] for code in ("DISCARDED_VALUE", DECIDED)}
    left = {(item["details"]["column"], item["details"]["rows"]) for item in notes["DISCARDED_VALUE"]}
    assert left == {("ww", 2), ("v", 2)}
    assert [item["details"]["effect"]["rows_left_out"] for item in notes[DECIDED]] == [2]


def test_no_table_decision_restores_its_dropped_database(lake: ReviewLake) -> None:
    lake.write("INSERT INTO d.r VALUES (9, 'z')", "alice", "c")
    lake.write("DROP DATABASE d CASCADE", "dora")
    lake.open(source="c")
    table = object_id(lake, "c")
    assert [decision for decision, *_ in decisions(lake, table)] == ["destination", "leave_out"]
    problem(decide(lake, table, "source"), 422, "NO_OPEN_CONFLICT")
    lake.write("UNDROP DATABASE d", "dora")
    assert lake.read("compare/c...main/")["mergeable"]


def test_a_constraint_is_named_as_people_name_it(lake: ReviewLake) -> None:
    lake.write("ALTER TABLE d.r ADD CONSTRAINT low CHECK (id < 50)", "dora")
    lake.write("ALTER TABLE d.r ADD CONSTRAINT low CHECK (id < 100)", "alice", "c")
    lake.open(source="c")
    found = lake.read(f"compare/c...main/objects/table/{object_id(lake, 'main')}/decisions/")["results"]
    texts = {(item["part"], item["decision"]): item["text"] for item in found}
    assert texts["property", "source"] == (
        "Keeps the constraint low as c has it; leaves out the change of 1 property on main: constraint low = `id` < 50."
    )
    assert texts["object", "destination"] == (
        "Keeps the table as main has it; leaves out the change of 1 property on c: constraint low."
    )


@pytest.mark.parametrize(("key", "text"), [("0", "row id 0"), ('{"id":4}', "id 4")])
def test_examples_say_what_names_their_row(key: str, text: str) -> None:
    assert example_text(named_row(key)) == text
