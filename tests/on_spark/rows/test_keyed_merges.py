"""Rows of a batch merged into a managed table by key: one commit, or nothing. What a strategy does: tests/upsert."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from catalog_app.importing.spec import Reading
from lakeui.common.errors import CheckViolated, DuplicateKey, InvalidValue, LakeError, NotFound, NotSupported
from lakeui.frontdoor import Session, StatementResult
from lakeui.frontdoor.entries.batches import batch_merge
from lakeui.frontdoor.entries.imports import import_load
from lakeui.frontdoor.inputs_outputs import ImportLoad, KeyedMerge
from lakeui.sql.statements import TableName
from merge_app.jobs.context import TaskContext
from merge_app.upsert.inputs_outputs import Strategy
from tests.on_spark.rows.test_imports import no_leftovers, send, staged_folders
from tests.support.lake import Lake, OwnBranch

__all__ = ["no_leftovers"]

BATCH = pa.table({"id": pa.array([2, 9], pa.int32()), "day": ["tue", "wed"], "v": ["B", "N"]})


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    """Table d.t, partitioned by day: rows 1 and 2 of mon, row 3 of tue."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, day STRING, v STRING, PRIMARY KEY (id)) PARTITIONED BY (day)")
    lake.sql("INSERT INTO d.t VALUES (1, 'mon', 'a'), (2, 'mon', 'b'), (3, 'tue', 'c')")
    yield lake
    assert lake.breaches() == []


@pytest.fixture
def days(shared: Lake) -> Lake:
    return OwnBranch(shared)


def commits(lake: Lake) -> int:
    return len(lake.sql("SHOW HISTORY").rows)


def upsert(lake: Lake, batch: pa.Table | pa.RecordBatchReader, keys: str = "id") -> StatementResult:
    return batch_merge(batch, "d.t", "upsert", keys, session=Session(lake.catalog, lake.main))


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_one_batch_commit_moves_rows_between_partitions(days: Lake, mode: str) -> None:
    days.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('write.merge.mode' = '{mode}')")
    before = commits(days)
    result = upsert(days, BATCH)
    assert (days.head(), commits(days)) == (result.version, before + 1)
    assert days.rows("d.t") == [(1, "mon", "a"), (2, "tue", "B"), (3, "tue", "c"), (9, "wed", "N")]
    newest = days.sql("SHOW HISTORY LIMIT 1").rows[0]
    assert newest[4]["statement"] == "IMPORT batch INTO `d`.`t` UPSERT BY `id`"
    assert staged_folders() == []


def test_constraints_hold(days: Lake) -> None:
    days.sql("ALTER TABLE d.t ADD CONSTRAINT known CHECK (v <> 'N')")
    with pytest.raises(CheckViolated, match="known"):
        upsert(days, BATCH)
    upsert(days, BATCH.slice(0, 1))
    assert days.rows("d.t", columns="v") == [("B",), ("a",), ("c",)]


def test_a_reader_is_taken_too(days: Lake) -> None:
    upsert(days, BATCH.to_reader(max_chunksize=1))
    assert len(days.rows("d.t")) == 4


def test_a_branch_with_merged_batch_merges_like_others(days: Lake) -> None:
    days.sql("CREATE BRANCH dev")
    batch_merge(BATCH, "d.t", "upsert", "id", session=Session(days.catalog, "dev"))
    days.sql("DELETE FROM d.t WHERE id = 3")
    days.merge("dev")
    assert days.rows("d.t") == [(1, "mon", "a"), (2, "tue", "B"), (9, "wed", "N")]


def test_text_is_read_in_table_types(days: Lake, tmp_path: Path) -> None:
    made = send(days, b"id,day,v\n2,mon,007\n4,mon,\n", tmp_path)
    merge = KeyedMerge(Strategy.UPSERT, ("id",))
    load = ImportLoad(made.pk, Reading.from_json(made.reading), TableName("t", "d"), is_new=False, merge=merge)
    import_load(load, name="people.csv", session=Session(days.catalog, days.main))
    assert days.rows("d.t") == [(1, "mon", "a"), (2, "mon", "007"), (3, "tue", "c"), (4, "mon", None)]


def test_a_later_attempt_answers_the_earlier_commit(days: Lake, tmp_path: Path) -> None:
    made = send(days, b"id,day,v\n2,mon,B\n9,wed,N\n", tmp_path)
    load = ImportLoad(
        made.pk,
        Reading.from_json(made.reading),
        TableName("t", "d"),
        is_new=False,
        merge=KeyedMerge(Strategy.UPSERT, ("id",)),
    )
    task, before = uuid.uuid4(), commits(days)
    outcomes = [
        import_load(load, name="f", session=Session(days.catalog, days.main), context=TaskContext(task, attempt=number))
        for number in (1, 2)
    ]
    assert {outcome.version for outcome in outcomes} == {days.head()}
    assert commits(days) == before + 1
    assert outcomes[0].metrics == outcomes[1].metrics
    assert (outcomes[0].metrics["rows_updated"], outcomes[0].metrics["rows_inserted"]) == (1, 1)


@pytest.mark.parametrize(
    ("batch", "keys", "error"),
    [
        (BATCH, "number", NotFound),
        (BATCH.rename_columns(["id", "day", "w"]), "w", NotFound),
        (BATCH.select(["id", "day"]), "id", InvalidValue),
        (pa.concat_tables([BATCH, BATCH]), "id", DuplicateKey),
        (pa.table({"id": [3], "day": ["tue"], "v": ["new"]}), "v", DuplicateKey),
        (pa.table({"id": ["x"], "day": ["tue"], "v": ["new"]}), "id", InvalidValue),
    ],
)
def test_what_cannot_be_merged_changes_nothing(days: Lake, batch: pa.Table, keys: str, error: type[LakeError]) -> None:
    head = days.head()
    with pytest.raises(error) as refusal:
        upsert(days, batch, keys)
    assert "__lake" not in refusal.value.message
    assert days.head() == head
    assert staged_folders() == []


def test_a_transaction_takes_no_batch(days: Lake) -> None:
    opened = days.sql("BEGIN").extra["transaction"]
    with pytest.raises(NotSupported):
        batch_merge(BATCH, "d.t", "upsert", "id", session=Session(days.catalog, days.main, transaction=opened))


def test_untyped_columns_are_null_and_texts_stay(lake: Lake, tmp_path: Path) -> None:
    lake.sql("CREATE TABLE d.n (id INT, n INT)")
    lake.sql("INSERT INTO d.n VALUES (1, 5)")
    session = Session(lake.catalog)
    batch_merge(
        pa.table({"id": pa.array([1, 2], pa.int32()), "n": pa.nulls(2)}), "d.n", "upsert", "id", session=session
    )
    assert lake.rows("d.n") == [(1, None), (2, None)]
    made = send(lake, b'[{"id": 1, "n": "7"}]', tmp_path)
    wanted = TableName("n", "d")
    for merge in (KeyedMerge(Strategy.UPSERT, ("id",)), None):
        load = ImportLoad(made.pk, Reading.from_json(made.reading), wanted, is_new=False, merge=merge)
        with pytest.raises(InvalidValue, match="Row 1: 7 of n is string"):
            import_load(load, name="f", session=session)
    assert lake.rows("d.n") == [(1, None), (2, None)]
