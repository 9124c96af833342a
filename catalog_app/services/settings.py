"""What changes of a catalog's settings have in common: one after the other, and each in the audit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from catalog_app.models import Catalog


@dataclass(frozen=True, slots=True)
class SettingChange:
    """What a setting of a catalog was and is; None where it was not there, or is not any more. JSON values only."""

    setting: str
    name: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


RecordChange = Callable[[Catalog, SettingChange], None]
"""Writes a change into the audit, in the transaction that makes it."""


def settings_lock(catalog: Catalog) -> None:
    """Changes of one catalog's settings come one after the other."""
    Catalog.objects.select_for_update(of=("self",), no_key=True).get(pk=catalog.pk)
