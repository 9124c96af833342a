"""Catalogs that were dropped: which can come back, and which expire."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from catalog_app.models import Branch, Catalog
from catalog_app.selectors.dropped import dropped_named

_ROOT = Branch.objects.filter(parent__isnull=True, is_workspace=False, expired_at__isnull=True)


def dropped_catalogs(known: QuerySet[Catalog]) -> QuerySet[Catalog]:
    """Those of ``known`` that were dropped and can come back."""
    return known.filter(Exists(_ROOT.filter(catalog=OuterRef("pk"))), dropped_at__isnull=False)


def is_expired(catalog: Catalog) -> bool:
    """Whether the files of the dropped catalog may be gone."""
    return not _ROOT.filter(catalog=catalog).exists()


def catalogs_to_expire(before: datetime) -> list[Catalog]:
    """The catalogs that were dropped earlier than ``before`` and still have their files."""
    return list(dropped_catalogs(Catalog.objects.filter(dropped_at__lte=before)).order_by("pk"))


def dropped_catalog_get(known: QuerySet[Catalog], name: str, identity: str | None = None) -> Catalog:
    """The catalog of that name that was dropped last, or the one of that id. Raises NotFound with the nearest one."""
    found: Catalog = dropped_named(dropped_catalogs(known), "dropped catalog", name, identity)
    return found
