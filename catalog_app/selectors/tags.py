"""The tags of a catalog."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from catalog_app.models import Catalog, Tag
from catalog_app.selectors.snapshots import named
from lakeui.common.errors import NotFound
from lakeui.common.nearest import nearest_name


def tags_list(catalog: Catalog, *, search: str = "", after: tuple[str, int] | None = None, limit: int) -> list[Tag]:
    """Tags by name, behind the key ``after`` (``sort_key`` and id)."""
    found = _tags(catalog).annotate(sort_key=Lower("name"))
    if search:
        found = found.filter(name__icontains=search)
    if after is not None:
        found = found.filter(Q(sort_key__gt=after[0]) | Q(sort_key=after[0], pk__gt=after[1]))
    return list(found.order_by("sort_key", "pk")[:limit])


def tag_get(catalog: Catalog, name: str) -> Tag:
    """The tag of that name; NotFound with the nearest one otherwise."""
    tag = named(_tags(catalog), name).first()
    if tag is None:
        names = Tag.objects.filter(catalog=catalog).values_list("name", flat=True)
        raise NotFound("tag", name, nearest=nearest_name(name, names), where=f"in catalog {catalog.name}")
    return tag


def _tags(catalog: Catalog) -> QuerySet[Tag]:
    return Tag.objects.filter(catalog=catalog).select_related("branch", "created_by")
