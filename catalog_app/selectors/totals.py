"""The whole server's metadata in numbers."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.models import Branch, Catalog


@dataclass(frozen=True, slots=True)
class LakeTotals:
    """Valid catalogs and branches."""

    catalogs: int
    branches: int


def lake_totals() -> LakeTotals:
    valid = Branch.objects.filter(dropped_at__isnull=True, is_workspace=False, catalog__dropped_at__isnull=True)
    return LakeTotals(Catalog.objects.filter(dropped_at__isnull=True).count(), valid.count())
