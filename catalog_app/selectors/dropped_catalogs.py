"""Catalogs that were dropped: which can come back, and which expire."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from catalog_app.models import Branch, Catalog
from catalog_app.selectors.snapshots import named
from lakeui.common.errors import NotFound
from lakeui.common.nearest import nearest_name

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
    dropped = dropped_catalogs(known)
    found = {str(item.pk): item for item in named(dropped, name).order_by("-dropped_at", "-pk")}
    if not found:
        raise NotFound("dropped catalog", name, nearest=nearest_name(name, dropped.values_list("name", flat=True)))
    if identity is None:
        return next(iter(found.values()))
    if identity not in found:
        nearest = nearest_name(identity, found) or next(iter(found))
        raise NotFound("dropped catalog", f"{name} with id {identity}", nearest=nearest)
    return found[identity]
