"""A merge request on real rows: over HTTP, with Spark and a real worker. ``tests/without_spark`` has others of them."""

from __future__ import annotations

from catalog_app.selectors.snapshots import catalog_get
from merge_app.review.verification import audit_verify
from tests.support.reviewed import Reviewed, reviewed

__all__ = ["reviewed"]


def test_a_request_is_decided_checked_and_merged(reviewed: Reviewed) -> None:
    """One table is decided as a whole, rows of the other by rule, row and cell. ``tests/review/test_resolutions.py``
    asks for the open keys after each decision, in memory.
    """
    lake, alice, bob, dora = reviewed.lake, reviewed.alice, reviewed.bob, reviewed.dora
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING, n INT)")
    lake.sql("INSERT INTO d.k VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'd', 4)")
    lake.sql("CREATE BRANCH rows")
    for statement in (
        "UPDATE d.t SET v = 'source' WHERE id = 1",
        "UPDATE d.k SET v = concat(v, ' source'), n = n + 100 WHERE id < 4",
        "DELETE FROM d.k WHERE id = 4",
    ):
        assert alice.sql(statement, "rows").status_code == 200, statement
    for statement in ("INSERT INTO d.t VALUES (3, 'main')", "UPDATE d.k SET v = concat(v, ' main'), n = n + 10"):
        assert dora.sql(statement).status_code == 200, statement
    check = {"name": "sources", "query": "SELECT * FROM d.t WHERE v = 'bad'", "is_required": True}
    assert dora.post("checks/", check).status_code == 201
    reviewed.protect()
    number = reviewed.open("rows")
    own = f"merge-requests/{number}/"

    compared = alice.get("compare/rows...main/")
    tables = {row[1]: int(row[2]) for row in lake.sql("SHOW TABLES IN d").rows}
    assert {item["object_id"] for item in compared["results"] if item["verdict"] == "conflict"} == {*tables.values()}
    assert alice.post(f"{own}merge/").status_code == 409
    heads = {f"{side}_head": compared[side]["head_version"] for side in ("source", "destination")}

    def decide(decision: str, table: str, **part: str) -> int:
        body = {"object_kind": "table", "object_id": tables[table], "decision": decision, **heads, **part}
        return int(alice.post(f"{own}resolutions/", body).status_code)

    def open_keys() -> list[str]:
        address = f"compare/rows...main/objects/table/{tables['k']}/rows/sides/?only=conflicts&merge_request={number}"
        return [row["key"] for row in alice.get(address)["rows"] if row["is_open"]]

    assert decide("source", "t") == 201
    assert decide("larger", "k", part="rows") == 201
    assert open_keys() == ['{"id":4}'], "a deleted row has nothing that is larger"
    assert decide("destination", "k", part="row", part_key='{"id":1}') == 201
    assert decide("edited", "k", part="cell", part_key='2:{"id":2}', value='"by hand"') == 201
    assert decide("source", "k", part="row", part_key='{"id":4}') == 201
    assert reviewed.approve(number, "rows").status_code == 201
    assert alice.post(f"{own}merge/").json()["code"] == "MERGE_BLOCKED"

    ran = alice.post(f"{own}checks/")
    assert (ran.status_code, ran.json()["checks"]) == (200, [{"name": "sources", "state": "passed"}])
    merged = alice.post(f"{own}merge/")
    assert merged.status_code == 200, merged.content
    assert lake.rows("d.t") == [(1, "source"), (2, "base")]
    assert lake.rows("d.k") == [(1, "a main", 11), (2, "by hand", 102), (3, "c source", 103)]
    record = lake.audit(merged.json()["merge_id"])
    assert [item["reviewer"] for item in record["approvals"]] == [bob.user.username]
    decided = sorted(item["decision"] for item in record["resolutions"])
    assert decided == ["destination", "edited", "larger", "source", "source"]
    assert [(item["name"], item["state"]) for item in record["checks"]] == [("sources", "passed")]
    assert reviewed.state(number) == "merged"
    assert audit_verify(catalog_get(lake.catalog)) == []
    assert alice.get("compare/rows...main/")["results"] == []
    assert lake.breaches() == []
