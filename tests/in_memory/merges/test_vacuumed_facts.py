"""VACUUM leaves the files that say whose rows are: a later merge reads them."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings

from catalog_app.models import SegmentStamp
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.integrity import catalog_check
from catalog_app.storage.warehouse import Warehouse
from lakeui.frontdoor import compute
from tests.in_memory.conftest import lake
from tests.support.lake import Lake

__all__ = ["lake"]


@pytest.fixture
def restored(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """A row was deleted and restored, so a file of its own says since when it is there. VACUUM removes for good."""
    engine: Any = compute.engine()
    monkeypatch.setitem(settings.LAKEUI, "STAGED_HOURS", 0)
    monkeypatch.setattr(Warehouse, "remove_all", lambda _, paths: [engine.forget(path) for path in paths])
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o'), (2, 'o'), (3, 'o')")
    lake.sql("CREATE BRANCH b")
    before = lake.head()
    lake.sql("DELETE FROM d.t WHERE id = 1")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    return lake


def paths(lake: Lake) -> list[str]:
    """Of files that say which rows a restore restored."""
    stamps = SegmentStamp.objects.filter(rows_file__table__catalog__name=lake.catalog)
    return list(stamps.values_list("rows_file__path", flat=True))


@pytest.mark.parametrize("days", [0, 30])
def test_a_merge_after_vacuum_finds_a_restores_facts(
    restored: Lake, days: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(settings.LAKEUI, "RETENTION_DAYS", days)
    said = set(paths(restored))
    assert said
    restored.sql("UPDATE d.t SET v = 'b' WHERE id = 3", "b")
    assert not said & {row[0] for row in restored.sql("VACUUM").rows}
    restored.merge("main", "b")
    assert restored.rows("d.t", "b") == [(1, "o"), (2, "o"), (3, "b")]
    assert restored.breaches() == []


def test_check_catalog_names_such_a_missing_file(restored: Lake) -> None:
    (path,) = paths(restored)
    found = catalog_check(catalog_get(restored.catalog), size_of=lambda _: None)
    assert any(path in breach for breach in found), found
