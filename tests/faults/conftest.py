"""Statements as tasks of a real worker that dies where a test says."""

from __future__ import annotations

from tests.e2e.conftest import lake, services

__all__ = ["lake", "services"]
