"""A server that does not answer yet is told as such, with when to come again. No Spark is needed."""

from __future__ import annotations

import pytest

from catalog_app.engine import session
from catalog_app.engine.session import SparkSessions
from lakeui.common.errors import EngineAway


@pytest.mark.filterwarnings("ignore:.*RETRIES_EXCEEDED")
def test_a_spark_that_starts_is_away_and_says_when_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_RETRIES", {"max_retries": 0})
    with pytest.raises(EngineAway) as away:
        SparkSessions("sc://127.0.0.1:1").run(lambda spark: pytest.fail("nobody answers"))
    problem = away.value.as_problem()
    assert (problem["code"], problem["status"], problem["retry_after"]) == ("ENGINE_AWAY", 503, 10)
