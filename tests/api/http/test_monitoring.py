"""The board, the alerts and the documentation name series that ``/metrics`` sends, with their labels."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from lakeui.common.instruments import instruments
from lakeui.runtime.home import restarts_write
from merge_app.jobs.selectors import UnfinishedTotal

ROOT = Path(__file__).resolve().parents[3]
BOARD = json.loads((ROOT / "docker" / "monitoring" / "board.json").read_text())
ALERTS = yaml.safe_load((ROOT / "docker" / "monitoring" / "alerts.yaml").read_text())
EXPRESSIONS = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]] + [
    rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]
]


@pytest.fixture
def series(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> dict[str, set[str]]:
    """The name of each sample with its labels, after one of each was counted."""
    measures = instruments()
    measures.spark_seconds.labels("done").observe(1)
    measures.statements.labels("select", "OK").inc()
    measures.statement_seconds.labels("select").observe(1)
    measures.task_seconds.labels("sql", "succeeded").observe(1)
    measures.task_wait_seconds.labels("sql").observe(1)
    measures.pipeline_runs.labels("schedule", "OK").inc()
    measures.webhook_attempts.labels("merge", "delivered").inc()
    measures.commits.inc()
    measures.merges.labels("merged", "ok").inc()
    measures.merge_seconds.observe(1)
    (tmp_path / "run").mkdir()
    restarts_write(tmp_path, {"spark": 1})
    monkeypatch.setitem(settings.LAKEUI, "HOME", str(tmp_path))
    waiting = UnfinishedTotal("sql", "queued", 1, timezone.now())
    monkeypatch.setattr("lakeui.api.http.metrics_view.unfinished_totals", lambda: [waiting])
    Client().get("/metrics")
    text = Client().get("/metrics").content.decode()
    found: dict[str, set[str]] = {"up": {"job"}}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def test_board_and_alerts_use_existing_series_and_labels(series: dict[str, set[str]]) -> None:
    for expression in EXPRESSIONS:
        names = re.findall(r"\b(?:lakeui_\w+|up)\b", expression)
        assert names, expression
        assert not set(names) - series.keys(), expression
        asked = set(re.findall(r"(\w+)\s*(?:=~|!=|=)\s*\"", expression))
        for grouped in re.findall(r"\bby \(([^)]*)\)", expression):
            asked |= {label.strip() for label in grouped.split(",")}
        assert asked <= set.union(*(series[name] for name in names)), expression


def test_every_alert_says_what_it_means() -> None:
    rules = [rule for group in ALERTS["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["annotations"]["summary"]
        assert rule["labels"]["severity"] in ("page", "ticket")


def test_queries_that_end_their_spark_ring_no_one() -> None:
    rules = [rule for group in ALERTS["groups"] for rule in group["rules"] if "lakeui_restarts_total" in rule["expr"]]
    paging = [rule["expr"] for rule in rules if rule["labels"]["severity"] == "page"]
    assert len(rules) == 2
    assert all('part!="spark_queries"' in expression for expression in paging)


def test_the_documentation_names_every_series_and_no_other(series: dict[str, set[str]]) -> None:
    said = set(re.findall(r"`(lakeui_\w+)`", (ROOT / "docs" / "howto" / "monitor.md").read_text()))
    own = {re.sub(r"_(bucket|count|sum|created)$", "", name) for name in series if name.startswith("lakeui_")}
    assert said == own


def test_the_board_shows_every_series(series: dict[str, set[str]]) -> None:
    shown = {re.sub(r"_(bucket|count|sum)$", "", name) for name in re.findall(r"lakeui_\w+", " ".join(EXPRESSIONS))}
    own = {re.sub(r"_(bucket|count|sum|created)$", "", name) for name in series if name.startswith("lakeui_")}
    assert own == shown


def test_panels_do_not_cover_each_other() -> None:
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in BOARD["panels"]}
    assert len(places) == len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])
