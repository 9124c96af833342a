"""What Spark does for a query: no more than for the same files without a lake."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.domain.files import TableScan
from catalog_app.engine.reading import query_dataframe
from catalog_app.engine.session import QUERY_CONFIGURATION, SparkSessions
from tests.engine.lake import Lake, schema_of

PARTS_WITH_MORE_THAN_HALF = """
    SELECT id FROM __lake_0 AS t WHERE v > (SELECT 0.5 * sum(v) FROM __lake_0 AS u WHERE u.id = t.id AND u.v < 100)
"""


@pytest.fixture
def rows(lake: Lake) -> Lake:
    lake.schema = schema_of("id bigint", "v int")
    lake.values("1|10", "2|20")
    return lake


GROUPS_BY_PARTITION = """
    SELECT spark_partition_id() AS part, count(*) AS groups
    FROM (SELECT id % 500000 AS k, sum(id) AS n FROM range(2000000) GROUP BY 1) GROUP BY ALL
"""


def plan_of(sessions: SparkSessions, lake: Lake, text: str, scan: TableScan) -> str:
    def work(spark: Any) -> str:
        frame = query_dataframe(spark, lake.warehouse, text, {"__lake_0": scan})
        return str(frame._explain_string(extended=True))

    return sessions.run(work)


def test_rows_without_partner_are_filtered_before_a_join(spark_remote: str, rows: Lake) -> None:
    sessions = SparkSessions(spark_remote, configuration=QUERY_CONFIGURATION)
    try:
        plan = plan_of(sessions, rows, PARTS_WITH_MORE_THAN_HALF, rows.scan())
    finally:
        sessions.close()
    optimized = plan.partition("== Optimized Logical Plan ==")[2]
    assert "Join Inner" in optimized
    assert "Join LeftOuter" not in optimized


def test_the_folder_is_read_only_with_addresses(sessions: SparkSessions, rows: Lake) -> None:
    scanned = "+- FileScan parquet [__c1#"
    assert "base#" not in plan_of(sessions, rows, "SELECT id FROM __lake_0", rows.scan()).partition(scanned)[2]
    rows.delete("id = 1")
    assert "base#" in plan_of(sessions, rows, "SELECT id FROM __lake_0", rows.scan()).partition(scanned)[2]


def test_every_core_takes_a_part_of_the_groups(spark_remote: str, rows: Lake) -> None:
    def parts(spark: Any) -> int:
        return len(query_dataframe(spark, rows.warehouse, GROUPS_BY_PARTITION, {}).collect())

    sessions = SparkSessions(spark_remote, configuration=QUERY_CONFIGURATION)
    try:
        assert sessions.run(parts) > 1
    finally:
        sessions.close()
