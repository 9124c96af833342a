"""Where a plan gets the engine from: most plans do not need it."""

from __future__ import annotations

from collections.abc import Callable

from catalog_app.engine.port import RowEngine

EngineSource = Callable[[], RowEngine]
"""Gives the engine when a plan needs it."""
