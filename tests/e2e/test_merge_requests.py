"""Merge requests on real rows: over HTTP, with Spark and a real worker. ``tests/without_spark`` has others of them."""

from __future__ import annotations

from catalog_app.selectors.snapshots import catalog_get
from merge_app.audit.verification import audit_verify
from tests.e2e.reviewed import Reviewed, reviewed

__all__ = ["reviewed"]


def test_a_request_from_opening_to_merged_with_a_conflict_decided_and_a_check_run(reviewed: Reviewed) -> None:
    lake, alice, bob, dora = reviewed.lake, reviewed.alice, reviewed.bob, reviewed.dora
    assert alice.sql("UPDATE d.t SET v = 'source' WHERE id = 1", "b").status_code == 200
    assert dora.sql("INSERT INTO d.t VALUES (3, 'main')").status_code == 200
    check = {"name": "sources", "query": "SELECT * FROM d.t WHERE v = 'bad'", "is_required": True}
    assert dora.post("checks/", check).status_code == 201
    reviewed.protect()
    number = reviewed.open("b")
    own = f"merge-requests/{number}/"

    compared = alice.get("compare/b...main/")
    (conflict,) = [entry for entry in compared["results"] if entry["verdict"] == "conflict"]
    assert alice.post(f"{own}merge/").status_code == 409
    heads = {side: compared[side]["head_version"] for side in ("source", "destination")}
    decided = {
        "object_kind": "table",
        "object_id": conflict["object_id"],
        "decision": "source",
        "source_head": heads["source"],
        "destination_head": heads["destination"],
    }
    assert alice.post(f"{own}resolutions/", decided).status_code == 201
    assert reviewed.approve(number, "b").status_code == 201
    assert alice.post(f"{own}merge/").json()["code"] == "MERGE_BLOCKED"

    ran = alice.post(f"{own}checks/")
    assert (ran.status_code, ran.json()["checks"]) == (200, [{"name": "sources", "state": "passed"}])
    merged = alice.post(f"{own}merge/")
    assert merged.status_code == 200, merged.content
    assert lake.rows("d.t") == [(1, "source"), (2, "base")]
    record = lake.audit(merged.json()["merge_id"])
    assert [item["reviewer"] for item in record["approvals"]] == [bob.user.username]
    assert [item["decision"] for item in record["resolutions"]] == ["source"]
    assert [(item["name"], item["state"]) for item in record["checks"]] == [("sources", "passed")]
    assert reviewed.state(number) == "merged"
    assert audit_verify(catalog_get(lake.catalog)) == []
    assert alice.get("compare/b...main/")["results"] == []


def test_rows_in_conflict_are_decided_by_rule_row_and_cell(reviewed: Reviewed) -> None:
    """``tests/review/test_resolutions.py`` asks for the open keys after each decision, in memory."""
    lake, alice, dora = reviewed.lake, reviewed.alice, reviewed.dora
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING, n INT)")
    lake.sql("INSERT INTO d.k VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'd', 4)")
    lake.sql("CREATE BRANCH rows")
    alice.sql("UPDATE d.k SET v = concat(v, ' source'), n = n + 100 WHERE id < 4", "rows")
    alice.sql("DELETE FROM d.k WHERE id = 4", "rows")
    dora.sql("UPDATE d.k SET v = concat(v, ' main'), n = n + 10")
    number = reviewed.open("rows")
    table_id = int(lake.sql("SHOW TABLES IN d").rows[0][2])
    compared = alice.get("compare/rows...main/")
    heads = {f"{side}_head": compared[side]["head_version"] for side in ("source", "destination")}

    def decide(decision: str, part: str, part_key: str = "", value: str = "") -> int:
        body = {"object_kind": "table", "object_id": table_id, "decision": decision, "part": part, **heads}
        answer = alice.post(f"merge-requests/{number}/resolutions/", {**body, "part_key": part_key, "value": value})
        return int(answer.status_code)

    def open_keys() -> list[str]:
        address = f"compare/rows...main/objects/table/{table_id}/rows/sides/?only=conflicts&merge_request={number}"
        return [row["key"] for row in alice.get(address)["rows"] if row["is_open"]]

    assert decide("larger", "rows") == 201
    assert open_keys() == ['{"id":4}'], "a deleted row has nothing that is larger"
    assert decide("destination", "row", '{"id":1}') == 201
    assert decide("edited", "cell", '2:{"id":2}', '"by hand"') == 201
    assert decide("source", "row", '{"id":4}') == 201
    merged = alice.post(f"merge-requests/{number}/merge/")
    assert merged.status_code == 200, merged.content
    assert lake.rows("d.k") == [(1, "a main", 11), (2, "by hand", 102), (3, "c source", 103)]
    assert len(lake.audit(merged.json()["merge_id"])["resolutions"]) == 4
    assert lake.breaches() == []
