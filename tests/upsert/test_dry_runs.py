"""A dry run makes the plan of the merge, answers its counts and writes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeui.common.errors import DuplicateKey, NotFound, Stale
from merge_app.upsert import merge, upsert

STORED = pa.table({"id": range(10), "day": ["mon"] * 5 + ["tue"] * 5, "v": range(10)})
BATCH = pa.table({"id": [1, 2, 6, 20, 21], "day": ["mon", "wed", "tue", "wed", "wed"], "v": [10, 2, 6, 20, 21]})


def state(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.stat().st_mtime_ns) for path in (folder, *folder.rglob("*")))


@pytest.mark.parametrize("partitions", [(), ("day",)])
@pytest.mark.parametrize("strategy", ["insert", "update", "upsert"])
def test_it_counts_what_the_merge_counts(tmp_path: Path, strategy: str, partitions: tuple[str, ...]) -> None:
    sizes: dict[str, Any] = {"max_rows_per_file": 2}
    merge(STORED, tmp_path / "t", "insert", "id", partition_columns=partitions, max_rows_per_file=4)
    before = state(tmp_path)
    rehearsed = merge(BATCH, tmp_path / "t", strategy, "id", dry_run=True, **sizes)
    assert state(tmp_path) == before
    assert rehearsed.bytes_written is None
    done = merge(BATCH, tmp_path / "t", strategy, "id", **sizes)
    assert done.files_added > 0
    assert replace(done, bytes_written=None) == rehearsed


def test_missing_data_set_stays_missing(tmp_path: Path) -> None:
    result = merge(BATCH.to_reader(), tmp_path / "new" / "t", "upsert", "id", dry_run=True)
    assert (result.rows_inserted, result.files_added) == (5, 1)
    with pytest.raises(NotFound):
        merge(BATCH, tmp_path / "new" / "t", "update", "id", dry_run=True)
    assert list(tmp_path.iterdir()) == []


def test_it_refuses_what_the_merge_refuses(tmp_path: Path) -> None:
    merge(STORED, tmp_path / "t", "insert", "id")
    with pytest.raises(DuplicateKey):
        merge(pa.concat_tables([BATCH, BATCH]), tmp_path / "t", "upsert", "id", dry_run=True)


def test_it_says_when_somebody_wrote_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    merge(STORED, tmp_path / "t", "insert", "id")

    def plan_late(*given: Any) -> Any:
        plan = make(*given)
        (tmp_path / "t" / "late.parquet").write_bytes(b"")
        return plan

    make = upsert.plan_make
    monkeypatch.setattr(upsert, "plan_make", plan_late)
    with pytest.raises(Stale):
        merge(BATCH, tmp_path / "t", "upsert", "id", dry_run=True)
