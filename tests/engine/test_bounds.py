"""Rows that would take too much memory, of this process or of Spark, are refused or go another way."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from catalog_app.engine import answers, result_batches, writing
from catalog_app.engine.failures import translate
from catalog_app.engine.inputs_outputs import QueryResult
from lakeui.common.errors import ResultTooLarge
from tests.engine.lake import Lake, schema_of

WIDE = "SELECT repeat('x', 100000) AS c FROM range(10000)"


def select(lake: Lake, text: str) -> QueryResult:
    return lake.engine.select(text, {}, limit=10_000)


def test_wide_rows_are_refused_before_spark_holds_them(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived: list[pa.Table] = []
    plain = result_batches.batches

    def noted(rows: Any) -> Any:
        for batch in plain(rows):
            arrived.append(batch)
            yield batch

    monkeypatch.setattr(result_batches, "batches", noted)
    with pytest.raises(ResultTooLarge, match="more than 32 MiB") as refused:
        select(lake, WIDE)
    assert not arrived
    assert "LIMIT" in refused.value.remedy
    assert "download" in refused.value.remedy


def test_a_few_wide_rows_are_answered(lake: Lake) -> None:
    found = select(lake, "SELECT id, repeat('x', 1000000) AS c, array(X'00') AS a FROM range(3) ORDER BY id DESC")
    assert [(row[0], len(row[1])) for row in found.rows] == [(2, 1_000_000), (1, 1_000_000), (0, 1_000_000)]


@pytest.mark.parametrize(
    "column", ["id", "CAST(id AS STRING)", "array(id)", "map(id, id)", "encode(CAST(id AS STRING), 'UTF-8')"]
)
def test_narrow_rows_are_refused_as_they_arrive(lake: Lake, monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    monkeypatch.setattr(answers, "LARGEST_ANSWER_BYTES", 5_000)
    with pytest.raises(ResultTooLarge):
        select(lake, f"SELECT {column} FROM range(5000)")
    assert select(lake, f"SELECT {column} FROM range(3)").rows


def test_spark_and_not_this_process_writes_wide_rows(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[pa.Table] = []
    monkeypatch.setattr(writing.FileWriter, "write_arrow", lambda _, target, table: written.append(table))
    lake.schema = schema_of("c string")
    (file,) = lake.query("SELECT repeat('x', 100000) AS c FROM range(30)")
    assert not written
    assert file.rows == 30


def test_a_result_spark_refuses_is_called_too_large() -> None:
    said = "Total size of serialized results of 5 tasks (1.2 GiB) is bigger than spark.driver.maxResultSize (512.0 MiB)"
    assert translate(RuntimeError(said)).code == "TOO_LARGE"
