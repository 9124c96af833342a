"""The main job over HTTP with a real worker: token, statements, a refused merge, a merge, its audit record."""

from __future__ import annotations

from tests.support.http import Http, http

__all__ = ["http"]


def test_branch_change_merge_and_read_the_audit(http: Http) -> None:
    assert http.sql("CREATE TABLE d.t (id INT)").status_code == 200
    inserted = http.sql("INSERT INTO d.t VALUES (1), (2)", Prefer="wait=60")
    assert inserted.status_code == 200, inserted.content
    assert inserted.json()["metrics"]["rows_inserted"] == 2
    assert http.sql("CREATE BRANCH b").status_code == 200
    http.sql("DELETE FROM d.t WHERE id = 1", "b", Prefer="wait=60")
    dry = http.sql("MERGE BRANCH b DRY RUN").json()
    assert dry["mergeable"] is True
    merged = http.sql("MERGE BRANCH b", Prefer="wait=60")
    assert merged.status_code == 200, merged.content
    assert merged.json()["fingerprint"] == dry["fingerprint"]
    assert http.sql("SELECT id FROM d.t").json()["rows"] == [[2]]
    audit = http.client.get(f"/api/v1/merges/{merged.json()['merge_id']}/").json()
    assert (audit["outcome"], audit["version"]) == ("merged", merged.json()["version"])


def test_refused_merge_is_a_409_with_every_conflict(http: Http) -> None:
    http.sql("CREATE TABLE d.t (id INT)")
    http.sql("INSERT INTO d.t VALUES (1)", Prefer="wait=60")
    http.sql("CREATE BRANCH b")
    http.sql("UPDATE d.t SET id = 9", "b", Prefer="wait=60")
    http.sql("INSERT INTO d.t VALUES (2)", Prefer="wait=60")
    refused = http.sql("MERGE BRANCH b", Prefer="wait=60")
    assert refused.status_code == 409
    assert refused["Content-Type"].startswith("application/problem+json")
    body = refused.json()
    assert body["code"] == "MERGE_CONFLICT"
    (conflict,) = body["conflicts"]
    assert (conflict["source_op"], conflict["dest_op"], conflict["code"]) == (
        "update",
        "insert",
        "PREDICATE_DML_VS_INSERT",
    )


def test_differing_rows_of_two_versions_are_a_resource(http: Http) -> None:
    http.sql("CREATE TABLE d.t (id INT, name STRING)")
    since = http.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')", Prefer="wait=60").json()["version"]
    http.sql("UPDATE d.t SET name = 'x' WHERE id = 1", Prefer="wait=60")
    until = http.sql("DELETE FROM d.t WHERE id = 2", Prefer="wait=60").json()["version"]
    address = f"/api/v1/catalogs/{http.catalog}/branches/main/databases/d/tables/t/changes/"
    response = http.client.get(address, {"from": since, "to": until})
    assert response.status_code == 200, response.content
    found = response.json()
    assert [column["name"] for column in found["columns"]] == ["change", "row_id", "id", "name"]
    assert sorted([row[0], *row[2:]] for row in found["rows"]) == [
        ["delete", 2, "b"],
        ["update_after", 1, "x"],
        ["update_before", 1, "a"],
    ]
    assert (found["row_count"], found["truncated"], found["version"]) == (3, False, until)
    assert http.client.get(address, {"from": until, "to": until}).json()["rows"] == []
    beyond = http.client.get(address, {"from": since, "to": until + 10})
    assert (beyond.status_code, beyond.json()["code"]) == (404, "NOT_FOUND")
    lacking = http.client.get(address, {"to": until})
    assert (lacking.status_code, lacking.json()["code"]) == (400, "INVALID_VALUE")


def test_repeated_write_with_one_idempotency_key_happens_once(http: Http) -> None:
    http.sql("CREATE TABLE d.t (id INT)")
    answers = [
        http.sql("INSERT INTO d.t VALUES (1)", **{"Prefer": "wait=60", "Idempotency-Key": "once"}) for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json()["version"] == answers[1].json()["version"]
    assert http.sql("SELECT count(*) FROM d.t").json()["rows"] == [[1]]


def test_worker_measures_writes_and_computes_added_columns(http: Http) -> None:
    http.sql("CREATE TABLE d.t (id INT)")
    http.sql("INSERT INTO d.t VALUES (1), (2)", Prefer="wait=60")
    measured = http.sql("EXPLAIN ANALYZE DELETE FROM d.t WHERE id = 1", Prefer="wait=60")
    assert measured.status_code == 200, measured.content
    found = measured.json()
    assert [column["name"] for column in found["columns"]] == ["step", "detail"]
    assert ["would", "rows deleted: 1"] in found["rows"]
    assert (found["dry_run"], found["metrics"]["rows_deleted"]) == (True, 1)
    added = http.sql("ALTER TABLE d.t ADD COLUMN n INT GENERATED ALWAYS AS (id * 10)", Prefer="wait=60")
    assert added.status_code == 200, added.content
    assert added.json()["metrics"]["rows_updated"] == 2
    assert sorted(http.sql("SELECT id, n FROM d.t").json()["rows"]) == [[1, 10], [2, 20]]
