"""Versions that hold from the time of a run: what Spark compiles for one run serves the next."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from merge_app.pipelines.definition.configuration import configuration_resolve
from merge_app.pipelines.definition.templates import TableAddress
from merge_app.pipelines.definition.versions import merge_successors
from merge_app.pipelines.definition.writes import MOMENT, BatchWrite, begins_by_run, moment_literal, with_moment

MOMENTS = (datetime(2026, 11, 22, 6, tzinfo=UTC), datetime(2026, 11, 23, 6, 0, 1, 5, tzinfo=UTC))


def merge_text(moment: datetime, *more: str) -> str:
    configuration = configuration_resolve("\n".join(["merge_strategy: scd2", "unique_key: id", *more]), "", strict=True)
    columns = [("id", "bigint"), ("name", "string")]
    return merge_successors(BatchWrite(configuration, TableAddress("d", "t"), columns, columns, moment_literal(moment)))


@pytest.mark.parametrize("more", [(), ("scd_open_marker: 9999-12-31",)])
def test_the_run_time_is_no_statement_text(more: tuple[str, ...]) -> None:
    first, second = (merge_text(moment, *more) for moment in MOMENTS)
    assert first == second
    assert f"batch.`{MOMENT}`" in first


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("merge_strategy: scd2", True),
        ("merge_strategy: scd2\nwatermark_column: changed_at", False),
        ("merge_strategy: scd2\nhard_deletes: new_record", False),
        ("merge_strategy: incremental", False),
    ],
)
def test_versions_without_time_begin_with_the_run(more: str, *, expected: bool) -> None:
    assert begins_by_run(configuration_resolve(f"unique_key: id\n{more}", "", strict=True)) is expected


def test_every_row_has_the_time_to_the_microsecond() -> None:
    text = with_moment("SELECT 1 AS id -- the end", MOMENTS[1])
    assert text.startswith(f"SELECT *, TIMESTAMP '2026-11-23T06:00:01.000005+00:00' AS `{MOMENT}` FROM (")
    assert text.endswith("-- the end\n)")
