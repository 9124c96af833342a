"""A lake and a worker that dies where a test says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import lake, services

__all__ = ["lake", "services"]


@pytest.fixture
def worker_faults(services: None, celery_worker: None, faults: Path) -> Iterator[Path]:
    """The directory of the running worker's fault points; ``services`` first, it makes the worker's database."""
    yield faults
    for left in faults.iterdir():
        left.unlink()
