"""A table of Delta Lake, as the newest version of its log says. The package deltalake reads the log."""

from __future__ import annotations

from catalog_app.takeover.locations import Locations
from catalog_app.takeover.values import FoundTable
from lakeui.common.errors import NotSupported


def delta_find(locations: Locations, path: str) -> FoundTable:
    """Raises NotSupported: nothing here reads the log of Delta."""
    raise NotSupported(
        "Tables of Delta are not taken over: their log says which files count, and lakeui does not read it.",
        remedy="Write the table's rows as Parquet or Iceberg, and take these over.",
    )
