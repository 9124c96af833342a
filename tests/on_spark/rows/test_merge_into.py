"""MERGE INTO, clause by clause (rows §1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from catalog_app.engine import merge_into
from lakeui.common.errors import Cardinality, InvalidValue, LakeError
from lakeui.frontdoor.rows.writes import METRICS
from tests.support.lake import Lake, OwnBranch

ON = "ON t.id = s.id"


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    """Table d.t with rows 1 and 2, 3 and 4 in a file each; source d.s with rows 2, 4 and 5."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, v STRING, n INT DEFAULT 7)")
    for first in (1, 3):
        lake.sql(f"INSERT INTO d.t VALUES ({first}, 'o', {first}), ({first + 1}, 'o', {first + 1})")
    lake.sql("CREATE TABLE d.s (id INT, v STRING, n INT)")
    lake.sql("INSERT INTO d.s VALUES (2, 's', 20), (4, 's', 40), (5, 's', 50)")
    yield lake
    assert lake.breaches() == []


@pytest.fixture
def people(shared: Lake) -> Lake:
    return OwnBranch(shared)


def test_matched_rows_are_updated_and_others_inserted(people: Lake) -> None:
    result = people.sql(f"MERGE INTO d.t USING d.s {ON} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
    assert people.rows("d.t") == [(1, "o", 1), (2, "s", 20), (3, "o", 3), (4, "s", 40), (5, "s", 50)]
    assert {k: result.metrics[k] for k in ("rows_updated", "rows_inserted", "rows_deleted")} == {
        "rows_updated": 2,
        "rows_inserted": 1,
        "rows_deleted": 0,
    }


def test_clauses_act_in_written_order(people: Lake) -> None:
    people.sql(
        f"""MERGE INTO d.t USING d.s {ON}
        WHEN MATCHED AND s.n > 30 THEN DELETE
        WHEN MATCHED THEN UPDATE SET v = concat(t.v, s.v), n = DEFAULT
        WHEN NOT MATCHED AND s.id > 100 THEN INSERT *
        WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id + 1, upper(s.v))
        WHEN NOT MATCHED BY SOURCE AND n = 1 THEN UPDATE SET v = 'alone'
        WHEN NOT MATCHED BY SOURCE THEN DELETE"""
    )
    assert people.rows("d.t") == [(1, "alone", 1), (2, "os", 7), (6, "S", 7)]


def test_two_matches_of_a_row_write_nothing(people: Lake) -> None:
    people.sql("INSERT INTO d.s VALUES (2, 'again', 1)")
    head, before = people.head(), people.rows("d.t")
    with pytest.raises(Cardinality) as refusal:
        people.sql(f"MERGE INTO d.t USING d.s {ON} WHEN MATCHED AND s.v = 'never' THEN DELETE")
    assert "conditions of WHEN MATCHED do not count" in refusal.value.remedy
    assert (people.head(), people.rows("d.t")) == (head, before)


def test_an_unconditional_delete_and_inserts_may_match_many(people: Lake) -> None:
    people.sql("INSERT INTO d.s VALUES (2, 'again', 1), (5, 'again', 1)")
    people.sql(f"MERGE INTO d.t USING d.s {ON} WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *")
    assert people.rows("d.t") == [(1, "o", 1), (3, "o", 3), (5, "again", 1), (5, "s", 50)]


def test_null_keys_match_only_by_null_safe_equality(people: Lake) -> None:
    people.sql("INSERT INTO d.t VALUES (NULL, 'o', 0)")
    source = "(SELECT CAST(NULL AS INT) AS id, 'x' AS v, 9 AS n)"
    people.sql(f"MERGE INTO d.t USING {source} s {ON} WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *")
    assert [row for row in people.rows("d.t") if row[0] is None] == [(None, "o", 0), (None, "x", 9)]
    people.sql(f"MERGE INTO d.t USING {source} s ON t.id <=> s.id WHEN MATCHED THEN DELETE")
    assert len(people.rows("d.t")) == 4


UPDATING = f"MERGE INTO d.t USING d.s {ON} WHEN MATCHED THEN UPDATE SET"
REFUSED = [
    (
        f"MERGE INTO d.t USING d.s {ON} WHEN NOT MATCHED AND t.id = 1 THEN INSERT *",
        "INVALID_VALUE",
        "t.id is of the target",
    ),
    (
        f"MERGE INTO d.t USING d.s {ON} WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id)",
        "INVALID_VALUE",
        "t.id is of the target",
    ),
    ("MERGE INTO d.t USING d.s ON t.idd = s.id WHEN MATCHED THEN DELETE", "INVALID_VALUE", "t.idd"),
    ("MERGE INTO d.t USING d.s ON t.id = s.idd WHEN MATCHED THEN DELETE", "INVALID_VALUE", "s.idd"),
    ("MERGE INTO d.t USING d.s ON id = s.id WHEN MATCHED THEN DELETE", "INVALID_VALUE", "ambiguous"),
    (f"MERGE INTO d.t USING d.s {ON} WHEN MATCHED AND n > 1 THEN DELETE", "INVALID_VALUE", "ambiguous"),
    (f"{UPDATING} v = n", "INVALID_VALUE", "ambiguous"),
    ("MERGE INTO d.t USING d.s ON t.id = array(s.id) WHEN MATCHED THEN DELETE", "INVALID_VALUE", "array"),
    (f"MERGE INTO d.t USING d.s {ON} WHEN MATCHED AND s.n THEN DELETE", "INVALID_VALUE", "boolean"),
    (f"{UPDATING} n = array(1)", "INVALID_VALUE", "array"),
    (f"{UPDATING} n = s.n + 2147483647", "INVALID_VALUE", "overflow"),
    (f"{UPDATING} n = 'seven'", "INVALID_VALUE", "string"),
    (f"{UPDATING} n = s.nothing", "INVALID_VALUE", "nothing"),
    ("MERGE INTO d.t USING d.s s(a, b) ON t.id = s.a WHEN MATCHED THEN DELETE", "INVALID_VALUE", "3 columns"),
    (
        "MERGE INTO d.strict t USING d.s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (n) VALUES (1)",
        "NOT_NULL_VIOLATION",
        "id",
    ),
]
"""What Spark finds; what is found before it is in tests/sql/cases/failures.sql."""


def test_a_failed_merge_leaves_the_target_unchanged(people: Lake) -> None:
    people.sql("CREATE TABLE d.strict (id INT NOT NULL, n INT)")
    head, before = people.head(), people.rows("d.t")
    for statement, code, mention in REFUSED:
        with pytest.raises(LakeError) as refusal:
            people.sql(statement)
        assert refusal.value.code == code, statement
        assert mention.casefold() in refusal.value.message.casefold(), statement
        assert "__lake" not in refusal.value.message, statement
        assert people.head() == head, statement
    assert people.rows("d.t") == before


def test_a_merge_that_changes_nothing_makes_no_version(people: Lake) -> None:
    head = people.head()
    result = people.sql(f"MERGE INTO d.t USING d.s {ON} WHEN MATCHED AND s.n < 0 THEN DELETE")
    assert (result.version, people.head(), result.metrics["bytes_written"]) == (head, head, 0)


def test_only_files_whose_bounds_admit_keys_are_read(people: Lake) -> None:
    source = "(VALUES (1, 'x'), (9, 'y')) AS s(id, v)"
    result = people.sql(f"MERGE INTO d.t USING {source} {ON} WHEN MATCHED THEN UPDATE SET v = s.v")
    assert (result.metrics["files_scanned"], result.metrics["files_skipped"]) == (1, 1)
    assert people.rows("d.t")[0] == (1, "x", 1)


def test_source_may_be_another_branch_past_or_target(people: Lake) -> None:
    people.sql("CREATE BRANCH dev")
    version = people.head()
    people.sql("UPDATE d.t SET v = 'dev' WHERE id = 1", "dev")
    people.sql("MERGE INTO d.t USING d.`t@dev` s ON t.id = s.id WHEN MATCHED AND s.v <> t.v THEN UPDATE SET *")
    assert people.rows("d.t")[0] == (1, "dev", 1)
    people.sql(f"MERGE INTO d.t USING d.t VERSION AS OF {version} s {ON} WHEN MATCHED AND s.v <> t.v THEN UPDATE SET *")
    assert people.rows("d.t")[0] == (1, "o", 1)
    people.sql("MERGE INTO d.t USING d.t s ON t.id = s.id + 1 WHEN MATCHED THEN UPDATE SET n = t.n + s.n")
    assert [row[2] for row in people.rows("d.t")] == [1, 3, 5, 7]


def test_schema_evolution_adds_and_widens_in_one_version(people: Lake) -> None:
    head = people.head()
    source = "(SELECT 2 AS id, 'x' AS v, CAST(5000000000 AS BIGINT) AS n, true AS extra)"
    people.sql(
        f"""MERGE WITH SCHEMA EVOLUTION INTO d.t USING {source} s {ON}
        WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
    )
    assert people.rows("d.t")[:2] == [(1, "o", 1, None), (2, "x", 5000000000, True)]
    assert (
        len(people.sql("DESCRIBE HISTORY d.t").rows)
        == len([row for row in people.sql("DESCRIBE HISTORY d.t").rows if row[0] <= head]) + 1
    )
    people.sql(f"MERGE INTO d.t USING {source} s {ON} WHEN MATCHED THEN UPDATE SET n = 1")
    assert people.rows("d.t")[1] == (2, "x", 1, True)


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_the_history_keeps_the_metrics_of_the_result(people: Lake, mode: str) -> None:
    people.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('write.merge.mode' = '{mode}')")
    people.sql("INSERT INTO d.t VALUES (100, 'far', 0), (101, 'far', 0)")
    result = people.sql(
        f"""MERGE INTO d.t USING d.s {ON}
        WHEN MATCHED AND s.id = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
    )
    copied = {"rows_copied": 2, "files_rewritten": 2, "files_reused": 1}
    expected = {"rows_inserted": 1, "rows_updated": 1, "rows_deleted": 1, "files_scanned": 2, "files_skipped": 1}
    expected |= copied if mode == "copy-on-write" else {"rows_copied": 0, "files_rewritten": 0, "files_reused": 3}
    assert {name: result.metrics[name] for name in expected} == expected
    assert result.metrics["bytes_written"] > 0
    (details,) = [row[4] for row in people.sql("DESCRIBE HISTORY d.t").rows if row[0] == result.version]
    recorded = Counter[str]()
    for operation in details["operations"]:
        recorded.update(operation["metrics"])
    assert {name: recorded[name] for name in METRICS} == {name: result.metrics[name] for name in METRICS}


def test_small_sources_are_broadcast(people: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[str] = []
    source_frame = merge_into._Merge._source_frame

    def noting(merge: Any) -> Any:
        frame = source_frame(merge)
        plans.append(frame._explain_string(extended=True))
        return frame

    monkeypatch.setattr(merge_into._Merge, "_source_frame", noting)
    for most in (merge_into.BROADCAST_BYTES, 0):
        monkeypatch.setattr(merge_into, "BROADCAST_BYTES", most)
        people.sql(f"MERGE INTO d.t USING d.s {ON} WHEN MATCHED THEN UPDATE SET v = upper(s.v)")
    assert ["strategy=broadcast" in plan for plan in plans] == [True, False]


def test_returning_answers_the_changed_rows(people: Lake) -> None:
    source = "(SELECT 1 AS id, 'x' AS v, 7 AS n UNION ALL SELECT 9, 'y', 8)"
    merge = f"MERGE INTO d.t USING {source} s USING (id) WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    found = people.sql(f"{merge} WHEN NOT MATCHED BY SOURCE AND t.id = 2 THEN DELETE RETURNING merge_action, id, v")
    assert found.columns == [("merge_action", "string"), ("id", "int"), ("v", "string")]
    assert sorted(found.rows) == [["DELETE", 2, "o"], ["INSERT", 9, "y"], ["UPDATE", 1, "x"]]


def test_missing_using_columns_are_refused_by_name(people: Lake) -> None:
    for text, column in (("(SELECT 1 AS idd) s USING (id)", "id"), ("(SELECT 1 AS key) s USING (key)", "key")):
        with pytest.raises(InvalidValue, match=rf"\b{column}\b"):
            people.sql(f"MERGE INTO d.t USING {text} WHEN MATCHED THEN DELETE")
