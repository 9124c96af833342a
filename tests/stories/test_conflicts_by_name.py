"""What a refusal says beside its codes: the keys, the operations, and the version that left a change out."""

from __future__ import annotations

from tests.support.lake import Lake

UPDATED_AND_DELETED = {
    "b": (
        "UPDATE d.k SET v = 'B' WHERE id <= 2",
        "DELETE FROM d.k WHERE id = 3",
        "INSERT INTO d.k VALUES (5, 'b', 5)",
    ),
    "main": (
        "UPDATE d.k SET v = 'M' WHERE id = 1 OR id = 3",
        "DELETE FROM d.k WHERE id = 2",
        "INSERT INTO d.k VALUES (5, 'm', 5)",
    ),
}


def test_each_kind_of_row_conflict_names_its_key(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING, n INT)")
    lake.sql("INSERT INTO d.k VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'd', 4)")
    lake.merge("main", "b")
    for branch, statements in UPDATED_AND_DELETED.items():
        for statement in statements:
            lake.sql(statement, branch)
    found = {
        (item["source_op"], item["dest_op"]): (item["code"], item["details"]["keys"], item["rule_table"])
        for item in lake.refused("b")
    }
    assert found == {
        ("update", "update"): ("PRIMARY_KEY_CLASH", ['{"id":1}'], "keyed"),
        ("update", "delete"): ("PRIMARY_KEY_CLASH", ['{"id":2}'], "keyed"),
        ("delete", "update"): ("PRIMARY_KEY_CLASH", ['{"id":3}'], "keyed"),
        ("insert", "insert"): ("PRIMARY_KEY_CLASH", ['{"id":5}'], "keyed"),
    }


def test_merge_back_names_version_that_left_out_rows(lake: Lake) -> None:
    lake.sql("UPDATE d.t SET v = 'b'", "b")
    lake.sql("UPDATE d.t SET v = 'main'")
    lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t TAKE DESTINATION)")
    (found,) = [item for item in lake.refused("main", "b") if item["code"] == "LEFT_OUT_BEFORE"]
    assert (found["object"], found["details"]) == ("d.t", {"version": lake.head(), "branch": "main"})
