"""A warehouse in the store of Google, on an emulator."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.backups.conftest import commands, lake, loaded, services
from tests.conftest import Embedded
from tests.stores.clouds import *  # noqa: F403 - its tests and fixtures run here on this store
from tests.stores.clouds import cloud_started
from tests.support.cloud_stores import CloudStore

__all__ = ["commands", "lake", "loaded", "services"]


@pytest.fixture(scope="module")
def cloud(embedded: Embedded) -> Iterator[CloudStore]:
    yield from cloud_started("gs", embedded.home / "store-gs")
