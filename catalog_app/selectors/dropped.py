"""Which of several dropped catalogs or branches of one name is meant."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from catalog_app.selectors.snapshots import named
from lakeui.common.errors import NotFound
from lakeui.common.nearest import nearest_name


def dropped_named(dropped: QuerySet[Any], kind: str, name: str, identity: str | None, *, where: str = "") -> Any:
    """The one of that name that was dropped last, or the one of that id. Raises NotFound with the nearest one."""
    found = {str(item.pk): item for item in named(dropped, name).order_by("-dropped_at", "-pk")}
    if not found:
        nearest = nearest_name(name, dropped.values_list("name", flat=True))
        raise NotFound(kind, name, nearest=nearest, where=where)
    if identity is None:
        return next(iter(found.values()))
    if identity not in found:
        nearest = nearest_name(identity, found) or next(iter(found))
        raise NotFound(kind, f"{name} with id {identity}", nearest=nearest, where=where)
    return found[identity]
