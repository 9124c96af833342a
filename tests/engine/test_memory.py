"""What Spark's operators take of its memory."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.engine.session import SparkSessions

MIB = 1024**2
TAKEN = {"peakMemory", "dataSize"}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM range(100) ORDER BY hash(id)",
        "SELECT a.id FROM range(100) a JOIN range(100) b ON cast(a.id AS STRING) = cast(b.id AS STRING)",
        "SELECT cast(id % 7 AS STRING), count(*) FROM range(100) GROUP BY 1",
    ],
)
def test_few_rows_take_little_memory(sessions: SparkSessions, text: str) -> None:
    """Each operator that keeps rows takes whole pages."""

    def taken(spark: Any) -> list[int]:
        rows = spark.sql(text)
        rows.collect()
        _, operators = rows.executionInfo.metrics.extract_graph()
        metrics = [metric for operator in operators.values() for metric in operator.metrics]
        return [metric.value for metric in metrics if metric.name in TAKEN]

    assert 0 < max(sessions.run(taken)) < 16 * MIB
