"""Where an incremental run continues, and dry runs."""

from __future__ import annotations

import pytest

from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.pipeline_runs import run_rehearse
from merge_app.pipelines.definition.mistakes import InvalidConfig
from tests.pipelines.strategies.cases import CONFIGS, KEYED, ROWS
from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.pipelines.strategies.pipes import Pipes, batch


def test_an_incremental_run_continues_from_its_branchs_watermark(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["incremental"])
    source = (
        "{% if is_incremental() %}SELECT CAST(9 AS INT) AS id, CAST({{ watermark_value }} AS STRING) AS value,"
        " CAST(9 AS INT) AS at"
    )
    source += "{% else %}" + batch(ROWS) + "{% endif %}"
    pipe.run(source)
    pipes.lake.sql("CREATE BRANCH cut")
    pipe.start()
    assert (9, "1", 9) in pipe.rows()
    pipe.start()
    assert (9, "9", 9) in pipe.rows()
    pipes.lake.sql(f"RESTORE TABLE {pipe.table} TO VERSION AS OF {pipe.runs[0].committed_version}")
    pipe.start()
    assert (9, "1", 9) in pipe.rows()


@pytest.mark.parametrize(
    ("column", "lookback", "expected"),
    [
        ("CAST(9 AS INT)", "2", "7"),
        ("DATE '2026-03-31'", "3 days", "2026-03-28"),
        ("TIMESTAMP '2026-03-01 01:30:00+00:00'", "2 hours", "2026-02-28 23:30:00"),
    ],
)
def test_a_run_looks_back_as_far_as_configured(pipes: Pipes, column: str, lookback: str, expected: str) -> None:
    pipe = pipes(*KEYED, "watermark_column: at", f"lookback: {lookback}")
    first = f"{{% if not is_incremental() %}}SELECT 1 AS id, {column} AS at{{% else %}}"
    pipe.run(f"{first}SELECT '{{{{ watermark_value[:19] }}}}' AS id, {column} AS at{{% endif %}}")
    assert pipe.pipeline is not None
    found = run_rehearse(pipe.pipeline, {}, session=Session(pipes.lake.catalog)).rendered
    assert found.split("'")[1].startswith(expected)


@pytest.mark.parametrize(
    ("column", "lookback", "takes"),
    [("CAST(9 AS INT)", "2 days", "a number"), ("DATE '2026-03-31'", "2", "a time"), ("'x'", "2", "nothing")],
)
def test_lookbacks_unfit_for_watermarks_are_refused_by_line(
    pipes: Pipes, column: str, lookback: str, takes: str
) -> None:
    pipe = pipes(*KEYED, "watermark_column: at", f"lookback: {lookback}")
    pipe.run(f"SELECT 1 AS id, {column} AS at {{% if is_incremental() %}}WHERE true{{% endif %}}")
    with pytest.raises(InvalidConfig) as caught:
        pipe.start()
    (error,) = caught.value.details["errors"]
    assert (error["field"], error["line"]) == ("lookback", 4)
    assert takes in error["remedy"]


def test_looking_back_takes_in_late_rows(pipes: Pipes) -> None:
    pipe = pipes(*KEYED, "watermark_column: at", "lookback: 3")
    later = "{% if is_incremental() %}WHERE at >= {{ watermark_value }}{% endif %}"
    pipe.run(f"SELECT * FROM ({batch([(1, 'a', 1), (2, 'b', 9)])}) {later}")
    late = batch([(2, "b", 9), (3, "late", 6), (4, "too late", 5), (1, "older", 0)])
    result = pipe.start(source=f"SELECT * FROM ({late}) {later}")
    assert pipe.rows() == [(1, "a", 1), (2, "b", 9), (3, "late", 6)]
    assert (result.metrics["rows_inserted"], result.metrics["rows_updated"]) == (1, 0)


def test_what_the_query_lacks_is_reported_before_running(pipes: Pipes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckMemoryEngine, "frozen", None)
    with pytest.raises(InvalidConfig, match="no column idd"):
        pipes("merge_strategy: incremental", "unique_key: idd").run(batch(ROWS))


def test_a_dry_run_writes_nothing(pipes: Pipes) -> None:
    pipe = pipes(*CONFIGS["incremental"])
    pipe.run(batch(ROWS))
    assert pipe.pipeline is not None
    before = pipes.lake.head()
    texts = {"source": "SELECT {{ watermark_value }} AS n FROM {{ this }}"}
    prepared = run_rehearse(pipe.pipeline, texts, session=Session(pipes.lake.catalog))
    assert prepared.rendered == f"SELECT 1 AS n FROM `d`.`{pipe.table.removeprefix('d.')}`"
    assert pipes.lake.head() == before
