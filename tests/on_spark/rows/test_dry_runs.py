"""A dry run answers what the write would: the same metrics, examples of rows, and nothing is left."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog_app.engine.engine import Engine
from lakeui.common.errors import CheckViolated
from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.batches import batch_merge
from tests.in_memory.rows.test_dry_runs import everything, files_of, filled
from tests.in_memory.rows.test_merges_foreseen import counted, found
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

__all__ = ["filled"]

ROWS = [
    "INSERT INTO d.t VALUES (3, 'c')",
    "INSERT OVERWRITE d.t SELECT 9, 'z'",
    "UPDATE d.t SET v = 'new' WHERE id = 1",
    "DELETE FROM d.t WHERE id = 1",
    "DELETE FROM d.t",
    "MERGE INTO d.t USING (SELECT 1 AS id, 'm' AS v UNION ALL SELECT 7, 'n') s ON d.t.id = s.id"
    " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "TRUNCATE TABLE d.t",
    "OPTIMIZE d.t",
    "CREATE TABLE d.made AS SELECT 1 AS one",
]
CHANGES = [statement for statement in ROWS if statement.startswith(("UPDATE", "DELETE", "MERGE"))]
"""Only these are written in one of two modes."""
SOME_CHANGES = [statement for statement in CHANGES if statement.startswith(("UPDATE", "MERGE"))]


@pytest.mark.parametrize(
    ("mode", "statements"), [("merge-on-read", ROWS), ("copy-on-write", CHANGES if IS_SOAK else SOME_CHANGES)]
)
def test_metrics_equal_the_writes_and_nothing_is_left(filled: Lake, mode: str, statements: list[str]) -> None:
    """Each statement has a branch of its own."""
    for kind in ("merge", "update", "delete"):
        filled.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('write.{kind}.mode' = '{mode}')")
    branches = {f"own{number}": statement for number, statement in enumerate(statements)}
    for branch in branches:
        filled.sql(f"CREATE BRANCH {branch}")
    before, files = everything(filled), files_of(filled)
    dried = {}
    for branch, statement in branches.items():
        dry = dried[branch] = filled.sql(f"{statement} DRY RUN", branch)
        assert (dry.extra["dry_run"], dry.version) == (True, filled.head(branch)), statement
        assert files_of(filled) == files, statement
    assert everything(filled) == before
    for branch, statement in branches.items():
        dry, done = dried[branch], filled.sql(statement, branch)
        # Names of columns in a file's own metadata aside, a file is as long each time; its bytes hold fresh numbers.
        assert {**dry.metrics, "bytes_written": 0} == {**done.metrics, "bytes_written": 0}, statement
        assert (dry.metrics["bytes_written"] > 0) == (done.metrics["bytes_written"] > 0), statement


def copying(lake: Lake) -> None:
    """Branch own, on which an update copies the files that it touches. One file has two rows."""
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('write.update.mode' = 'copy-on-write')")
    lake.sql("INSERT INTO d.t VALUES (5, 'e'), (6, 'f')")
    lake.sql("CREATE BRANCH own")


def test_a_dry_run_copies_no_file(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    copying(filled)
    text = "UPDATE d.t SET v = 'theirs' WHERE id = 5"
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "copy", lambda *_: pytest.fail("a file was copied"))
        dry = filled.sql(f"{text} DRY RUN", "own")
    done = filled.sql(text, "own")
    assert dry.extra["parent_merge"]["mergeable"]
    assert {**dry.metrics, "bytes_written": 0} == {**done.metrics, "bytes_written": 0}
    assert done.metrics["files_rewritten"] == 1


def test_copied_files_meet_news_of_the_parent(filled: Lake) -> None:
    copying(filled)
    filled.sql("UPDATE d.t SET v = 'ours' WHERE id = 5")
    before, text = files_of(filled), "UPDATE d.t SET v = 'theirs' WHERE id = 5"
    dry = filled.sql(f"{text} DRY RUN", "own")
    assert files_of(filled) == before
    assert [item["row"]["v"] for item in dry.extra["examples"]] == ["e", "theirs"]
    done = filled.sql(text, "own")
    assert {**dry.metrics, "bytes_written": 0} == {**done.metrics, "bytes_written": 0}
    merge, said = filled.dry_run("own"), dry.extra["parent_merge"]
    assert counted(said["conflicts"]) == found(merge["conflicts"])
    assert counted(said["notes"]) == found(merge["notes"])
    assert said["conflicts"]


def test_examples_show_the_rows_that_would_change(filled: Lake) -> None:
    dry = filled.sql("UPDATE d.t SET v = 'new' WHERE id = 1 DRY RUN")
    assert dry.extra["examples"] == [
        {"table": "d.t", "change": "update_before", "row": {"id": 1, "v": "a"}},
        {"table": "d.t", "change": "update_after", "row": {"id": 1, "v": "new"}},
    ]
    dry = filled.sql("INSERT INTO d.t VALUES (3, 'c') DRY RUN")
    assert dry.extra["examples"] == [{"table": "d.t", "change": "insert", "row": {"id": 3, "v": "c"}}]


def test_a_refused_dry_run_leaves_no_file(filled: Lake) -> None:
    filled.sql("ALTER TABLE d.t ADD CONSTRAINT named CHECK (v <> 'bad')")
    files = files_of(filled)
    merge = "MERGE INTO d.t USING (SELECT 1 AS id, 'bad' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
    for statement in ("UPDATE d.t SET v = 'bad'", merge):
        with pytest.raises(CheckViolated):
            filled.sql(f"{statement} DRY RUN")
        assert files_of(filled) == files, statement


def test_a_keyed_merge_has_a_dry_run(filled: Lake) -> None:
    before = everything(filled)
    batch = pa.table({"id": pa.array([1, 9], pa.int32()), "v": ["B", "N"]})
    dry = batch_merge(batch, "d.t", "upsert", "id", session=Session(filled.catalog, dry_run=True))
    assert everything(filled) == before
    assert (dry.metrics["rows_updated"], dry.metrics["rows_inserted"]) == (1, 1)
