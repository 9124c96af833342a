"""What the audit holds of every attempt to merge: all that semantics §4.7 lists, read back over ``audit_get``."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import MergeConflict
from merge_app.audit.models import MergeAttempt
from merge_app.audit.services import attempt_digest
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def worked_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("INSERT INTO d.t VALUES (1), (2)")
    lake.sql("CREATE BRANCH b")
    for statement in (
        "ALTER TABLE d.t ADD COLUMN s1 INT",
        "ALTER TABLE d.t ADD COLUMN s2 INT",
        "INSERT INTO d.t VALUES (3, 3, 3), (4, 4, 4)",
        "ALTER TABLE d.t ADD COLUMN s3 INT",
        "INSERT INTO d.t VALUES (5, 5, 5, 5)",
    ):
        lake.sql(statement, "b")
    lake.sql("INSERT INTO d.t VALUES (9)")


@pytest.fixture
def worked(begun: Begun) -> Lake:
    """Table d.t; branch b altered it twice, wrote, altered again and wrote; main wrote too."""
    return begun(worked_fill)


def audit_of_last(lake: Lake) -> dict[str, Any]:
    attempt = MergeAttempt.objects.filter(catalog__name=lake.catalog).order_by("-number").first()
    assert attempt is not None
    return lake.audit(str(attempt.merge_id))


def test_merge_records_show_who_merged_what_and_verdicts(worked: Lake) -> None:
    heads = worked.head("b"), worked.head()
    cut = next(row[2] for row in worked.sql("SHOW BRANCHES").rows if row[0] == "b")
    result = worked.merge("b")
    found = worked.audit(result["merge_id"])
    assert (found["outcome"], found["source"], found["destination"]) == ("merged", "b", "main")
    assert (found["source_head"], found["destination_head"], found["merge_base"]) == (*heads, cut)
    assert (found["version"], found["fingerprint"]) == (result["version"], result["fingerprint"])
    assert {"actor", "time", "digest", "duration_ms", "resolutions", "approvals", "checks"} <= set(found)
    judged = {(item["source_op"], item["dest_op"]): item["verdict"] for item in found["findings"]}
    assert judged == {("column", "insert"): "ok", ("insert", "insert"): "ok"}
    (item,) = found["plan"]["objects"]
    assert (item["object"], item["operations"]) == ("d.t", {"column": 3, "insert": 2})


def test_a_merges_record_lists_schema_versions_and_segments(worked: Lake) -> None:
    schemas = [row[0] for row in worked.sql("SHOW HISTORY", "b").rows if row[2] == "ADD COLUMN"][::-1]
    result = worked.merge("b")
    (table,) = worked.audit(result["merge_id"])["tables"]
    assert table["visible_schema_versions"] == [result["version"]]
    assert table["invisible_schema_versions"] == schemas[1:]
    assert table["discarded_schema_versions"] == schemas[:1]
    assert (table["new_segment_count"], table["new_rows"]) == (2, 3)
    assert table["new_bytes"] == sum(segment["bytes"] for segment in table["new_segments"])
    shown = {row[0]: row for row in worked.sql("SHOW SEGMENTS d.t").rows}
    for segment, version in zip(table["new_segments"], schemas[1:], strict=True):
        _, rows, size, schema_version, is_visible, added = shown[segment["path"]][:6]
        assert (rows, size) == (segment["rows"], segment["bytes"])
        assert (segment["schema_version"], segment["is_visible"]) == (schema_version, is_visible) == (version, False)
        assert added == result["version"]
    assert table["removed_segments"] == []


def test_merge_records_list_removed_discarded_and_skipped_parts(lake: Lake) -> None:
    for name in ("over", "compacted", "emptied"):
        lake.sql(f"CREATE TABLE d.{name} (id INT)")
        lake.sql(f"INSERT INTO d.{name} VALUES (1), (2)")
        lake.sql(f"INSERT INTO d.{name} VALUES (3), (4)")
    lake.sql("CREATE BRANCH b")
    paths = [row[0] for row in lake.sql("SHOW SEGMENTS d.emptied").rows]
    for statement in (
        "UPDATE d.over SET id = 30 WHERE id = 3",
        "DELETE FROM d.over WHERE id = 1",
        "OPTIMIZE d.compacted",
        "DELETE FROM d.emptied WHERE id <= 2",
    ):
        lake.sql(statement, "b")
    lake.sql("INSERT OVERWRITE d.over VALUES (9)")
    lake.sql("DELETE FROM d.compacted WHERE id = 1")
    found = lake.audit(lake.merge("b")["merge_id"])
    noted = {(note["object"], note["code"]): note for note in found["notes"]}
    assert set(noted) == {
        ("d.over", "DISCARDED_UPDATE"),
        ("d.over", "DISCARDED_DELETE"),
        ("d.compacted", "COMPACTION_SKIPPED"),
    }
    assert noted["d.over", "DISCARDED_DELETE"]["details"]["rows"] == 1
    tables = {item["table"]: item for item in found["tables"]}
    assert tables["d.emptied"]["removed_segments"] == paths[:1]
    assert {name: item["action"] for name, item in tables.items()} == {
        "d.over": "untouched",
        "d.compacted": "untouched",
        "d.emptied": "alter",
    }


def test_refused_and_dry_attempts_record_every_verdict(worked: Lake) -> None:
    worked.sql("ALTER TABLE d.t RENAME COLUMN id TO key", "b")
    worked.sql("DELETE FROM d.t WHERE key = 1", "b")
    worked.sql("ALTER TABLE d.t ADD COLUMN key INT")
    dry = worked.dry_run("b")
    found = worked.audit(dry["merge_id"])
    assert (found["outcome"], found["version"], found["mergeable"]) == ("dry run", None, False)
    with pytest.raises(MergeConflict):
        worked.merge("b")
    refused = audit_of_last(worked)
    assert (refused["outcome"], refused["version"]) == ("refused", None)
    assert {item["code"] for item in refused["conflicts"]} == {"COLUMN_NAME_TAKEN", "PREDICATE_DML_VS_INSERT"}
    for conflict in refused["conflicts"]:
        assert {"object", "rule_table", "source_op", "dest_op", "note", "message", "remedy"} <= set(conflict)
    assert refused["conflicts"] == found["conflicts"]
    assert refused["fingerprint"] == found["fingerprint"]


def test_a_merge_of_nothing_records_an_attempt(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    result = lake.merge("b")
    assert lake.audit(result["merge_id"])["outcome"] == "nothing to merge"


def test_records_are_chained_in_order_of_attempts(worked: Lake) -> None:
    worked.dry_run("b")
    worked.merge("b")
    worked.merge("b")
    chain = list(MergeAttempt.objects.filter(catalog__name=worked.catalog).order_by("number"))
    assert [attempt.outcome for attempt in chain] == ["dry run", "merged", "nothing to merge"]
    assert [attempt.previous_digest for attempt in chain] == ["", *(attempt.digest for attempt in chain[:-1])]
    assert all(attempt_digest(attempt) == attempt.digest for attempt in chain)
