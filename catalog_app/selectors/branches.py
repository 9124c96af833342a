"""Lists of catalogs and branches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Model, Q, QuerySet
from django.db.models.functions import Lower

from catalog_app.models import Branch, Catalog, Commit
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import named
from lakeui.common.errors import NotFound
from lakeui.common.nearest import nearest_name

_SORT_KEYS: dict[str, tuple[Any, str]] = {
    "name": (Lower("name"), ""),
    "-created_at": (F("pk"), "-"),
    "-activity": (F("head_version"), "-"),
}
"""By order of a list: what it is sorted by before the id, and ``-`` for downwards."""

BRANCH_ORDERS = tuple(_SORT_KEYS)


@dataclass(frozen=True, slots=True)
class CatalogSummary:
    """A catalog with its valid branches and all commits counted. ``last_commit`` is the newest of any branch.

    What transactions have done on their workspaces is not among them until it is one commit.
    """

    catalog: Catalog
    branch_count: int
    commit_count: int
    last_commit: Commit | None


_COUNTS = """
SELECT c.id,
       (SELECT count(*) FROM catalog_app_branch b
        WHERE b.catalog_id = c.id AND b.dropped_at IS NULL AND NOT b.is_workspace),
       (SELECT count(*) FROM catalog_app_commit m WHERE m.catalog_id = c.id) - (
            SELECT count(*) FROM catalog_app_commit m JOIN catalog_app_branch w ON w.id = m.branch_id
            WHERE w.catalog_id = c.id AND w.is_workspace),
       (SELECT m.id FROM catalog_app_commit m WHERE m.catalog_id = c.id
            AND NOT EXISTS (SELECT 1 FROM catalog_app_branch w WHERE w.id = m.branch_id AND w.is_workspace)
        ORDER BY m.version DESC LIMIT 1)
FROM catalog_app_catalog c WHERE c.id = ANY(%(ids)s)
"""


def catalogs_list(
    visible: QuerySet[Catalog], *, search: str = "", after: tuple[str, int] | None = None, limit: int
) -> list[CatalogSummary]:
    """Valid ones of the visible catalogs by name, behind the key ``after``."""
    found = visible.filter(dropped_at__isnull=True).annotate(sort_key=Lower("name"))
    if search:
        found = found.filter(name__icontains=search)
    if after is not None:
        found = found.filter(Q(sort_key__gt=after[0]) | Q(sort_key=after[0], pk__gt=after[1]))
    return catalogs_summarise(list(found.order_by("sort_key", "pk")[:limit]))


def catalogs_summarise(catalogs: Collection[Catalog]) -> list[CatalogSummary]:
    """The same catalogs with their counts: two queries."""
    counts = {row[0]: row for row in fetch_all(_COUNTS, {"ids": [catalog.pk for catalog in catalogs]})}
    newest = Commit.objects.select_related("branch").in_bulk([row[3] for row in counts.values() if row[3]])
    return [CatalogSummary(item, row[1], row[2], newest.get(row[3])) for item in catalogs for row in [counts[item.pk]]]


def branches_list(
    catalog: Catalog,
    *,
    search: str = "",
    dropped: bool = False,
    order: str = "name",
    after: tuple[Any, int] | None = None,
    limit: int,
) -> list[Branch]:
    """Valid branches, or the dropped ones that UNDROP can bring back, with what their summaries show; ``after`` is a
    ``sort_key``.
    """
    found = Branch.objects.filter(
        catalog=catalog, is_workspace=False, dropped_at__isnull=not dropped, expired_at__isnull=True
    )
    if search:
        found = found.filter(name__icontains=search)
    key, sign = _SORT_KEYS[order]
    found = found.annotate(sort_key=key)
    if after is not None:
        side = "lt" if sign else "gt"
        found = found.filter(
            Q(**{f"sort_key__{side}": after[0]}) | Q(**{"sort_key": after[0], f"pk__{side}": after[1]})
        )
    ordering = (f"{sign}sort_key", f"{sign}pk")
    # Chosen first and joined then: the page is small, the list is not.
    page = found.order_by(*ordering).values("pk")[:limit]
    return list(_branches().filter(pk__in=page).annotate(sort_key=key).order_by(*ordering))


def sort_key(entry: Model) -> tuple[Any, int]:
    """Where an entry of one of these lists stands in it: the key to go on behind."""
    # PostgreSQL's own lower case: another one would repeat or lose entries.
    return entry.sort_key, entry.pk  # type: ignore[attr-defined]  # annotated by the list


def branch_detail(catalog: Catalog, name: str) -> Branch:
    """The valid branch of that name with what its summary shows; NotFound with the nearest one otherwise."""
    valid = _branches().filter(catalog=catalog, dropped_at__isnull=True)
    branch = named(valid, name).first()
    if branch is None:
        nearest = nearest_name(name, valid.values_list("name", flat=True))
        raise NotFound("branch", name, nearest=nearest, where=f"in catalog {catalog.name}")
    return branch


def parent_now(branch: Branch) -> Branch | None:
    """The branch that bears the name of the parent now: the parent, or where a reset dropped it, the branch that the
    reset made. That one may have been dropped too.
    """
    parent = branch.parent
    if parent is not None and parent.dropped_at is not None and parent.successor is not None:
        return parent.successor
    return parent


def _branches() -> QuerySet[Branch]:
    shown = Branch.objects.filter(is_workspace=False)
    return shown.select_related("catalog", "parent__successor", "created_by", "head_commit__branch")
