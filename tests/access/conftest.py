"""Failed sign-ins are counted in the cache."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache


@pytest.fixture
def clean_counts() -> Iterator[None]:
    """No failure of another test counts, and none stays."""
    cache.clear()
    yield
    cache.clear()
