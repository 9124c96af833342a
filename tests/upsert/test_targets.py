"""Where a data set may lie: not at an address that is no folder, and not where another table format keeps its books."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lakeui.common.errors import InvalidValue
from merge_app.upsert import merge

BATCH = pa.table({"id": [1]})


@pytest.mark.parametrize("target", ["s3://bucket/x", "s3:bucket", "gs://b/x", "abfs://c@a/x", "memory://x", "file:x"])
def test_address_that_is_no_folder_here_is_refused(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidValue, match="cannot be merged into") as refusal:
        merge(BATCH, target, "upsert", "id")
    assert refusal.value.details["field"] == "target"
    assert list(tmp_path.iterdir()) == []


def test_a_file_address_is_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    target = tmp_path / "two words"
    assert merge(BATCH, target.as_uri(), "upsert", "id").rows_inserted == 1
    assert [path.name for path in tmp_path.iterdir()] == ["two words"]


def test_folder_with_colon_is_named_as_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert merge(BATCH, "./a:b", "upsert", "id").rows_inserted == 1
    assert merge(BATCH, Path("a:b"), "upsert", "id").rows_unchanged == 1


@pytest.mark.parametrize("log", ["_delta_log/0.json", ".hoodie/hoodie.properties", "metadata/00000-x.metadata.json"])
@pytest.mark.parametrize("below", ["", "day=1", "../"])
def test_a_table_of_another_format_is_refused(tmp_path: Path, log: str, below: str) -> None:
    table = tmp_path / "lake" / "t"
    table.mkdir(parents=True)
    place = table / below / log if below != "day=1" else table / log
    place.parent.mkdir(parents=True)
    place.write_text("{}")
    target = table / "day=1" if below == "day=1" else table
    before = sorted(path for path in tmp_path.rglob("*"))
    with pytest.raises(InvalidValue, match="whose log names its files"):
        merge(BATCH, target, "upsert", "id")
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_a_table_of_another_format_inside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t" / "inner" / "_delta_log").mkdir(parents=True)
    (tmp_path / "t" / "inner" / "_delta_log" / "0.json").write_text("{}")
    with pytest.raises(InvalidValue, match="Delta Lake"):
        merge(BATCH, tmp_path / "t", "upsert", "id")
