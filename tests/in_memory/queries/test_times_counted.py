"""A time that is counted from now finds the version of that time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

import pytest

from lakeui.sql import mentions
from tests.support.lake import Lake


def test_the_past_is_read_by_an_expression(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    between = datetime.now(UTC)
    lake.sql("INSERT INTO d.t VALUES (2)")

    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Tomorrow:
            later = between + timedelta(days=1)
            return cls.fromtimestamp(later.timestamp(), tz)

    monkeypatch.setattr(mentions, "datetime", Tomorrow)
    earlier = "d.t TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY"
    assert lake.sql(f"SELECT id FROM {earlier}").rows == [[1]]
    assert lake.sql(f"SELECT n.id FROM d.t n LEFT ANTI JOIN {earlier} AS o ON n.id = o.id").rows == [[2]]
    lake.sql(f"INSERT INTO d.t SELECT id + 10 FROM {earlier}")
    assert lake.rows("d.t") == [(1,), (11,), (2,)]
