"""A lake and a worker that dies where a test says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.on_spark.conftest import lake, services

__all__ = ["lake", "services"]


@pytest.fixture(autouse=True)
def nothing_is_retained(monkeypatch: pytest.MonkeyPatch) -> None:
    """VACUUM takes at once, in this process and in those that it starts."""
    for name in ("RETENTION_DAYS", "STAGED_HOURS"):
        monkeypatch.setitem(settings.LAKEUI, name, 0)


@pytest.fixture
def worker_faults(services: None, celery_worker: None, faults: Path) -> Iterator[Path]:
    """The directory of the running worker's fault points; ``services`` first, it makes the worker's database."""
    yield faults
    for left in faults.iterdir():
        left.unlink()
