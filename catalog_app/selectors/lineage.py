"""Catalogs and branches by name, and the look-up chain that every other selector falls through (semantics §2)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet, Value
from django.db.models.functions import Lower

from catalog_app.models import Branch, Catalog, Tag
from lakeui.common.errors import InvalidValue, NotFound


@dataclass(frozen=True, slots=True)
class Lineage:
    """Branches to look in, nearest first, and of each the newest version that counts."""

    branch_ids: tuple[int, ...]
    limits: tuple[int, ...]

    @property
    def version(self) -> int:
        """The version that is looked at."""
        return self.limits[0]

    def at(self, version: int) -> Lineage:
        """The same chain, looked at as of ``version``."""
        return Lineage(self.branch_ids, tuple(min(limit, version) for limit in self.limits))

    @property
    def parameters(self) -> dict[str, list[int]]:
        """Query parameters ``branch_ids`` and ``limits`` for ``LINEAGE``."""
        return {"branch_ids": list(self.branch_ids), "limits": list(self.limits)}


LINEAGE = """lineage AS MATERIALIZED (
    SELECT branch_id, max_version, depth
    FROM unnest(%(branch_ids)s::bigint[], %(limits)s::bigint[]) WITH ORDINALITY AS l(branch_id, max_version, depth)
)"""
"""The common table expression that turns ``Lineage.parameters`` into rows."""


def branch_lineage(branch: Branch) -> Lineage:
    """The look-up chain of a branch at its head."""
    return Lineage((branch.pk, *branch.ancestor_branches), (branch.head_version, *branch.ancestor_limits))


def nearest_name(name: str, candidates: Iterable[str]) -> str | None:
    """The existing name that a person most likely meant."""
    by_key = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.casefold(), by_key, n=1, cutoff=0.6)
    return by_key[close[0]] if close else None


def named(objects: QuerySet[Any], name: str) -> QuerySet[Any]:
    """Those of that name, whatever the case of its letters, in the form that the unique indexes on names answer."""
    return objects.alias(name_key=Lower("name")).filter(name_key=Lower(Value(name)))


def catalog_get(name: str, *, among: QuerySet[Catalog] | None = None) -> Catalog:
    """The valid catalog of that name; NotFound with the nearest one otherwise. Where ``among`` is given, no other
    catalog exists.
    """
    valid = (Catalog.objects.all() if among is None else among).filter(dropped_at__isnull=True)
    catalog = next(iter(named(valid, name)), None)
    if catalog is None:
        raise NotFound("catalog", name, nearest=nearest_name(name, valid.values_list("name", flat=True)))
    return catalog


def branch_get(catalog: Catalog, name: str) -> Branch:
    """The valid branch of that name; NotFound with the nearest one otherwise."""
    valid = Branch.objects.filter(catalog=catalog, dropped_at__isnull=True, is_workspace=False)
    branch = next(iter(named(valid, name)), None)
    if branch is None:
        nearest = nearest_name(name, valid.values_list("name", flat=True))
        raise NotFound("branch", name, nearest=nearest, where=f"in catalog {catalog.name}")
    branch.catalog = catalog
    return branch


def tag_find(catalog: Catalog, name: str) -> Tag | None:
    """The tag of that name, with its branch, which may have been dropped since."""
    return named(Tag.objects.filter(catalog=catalog), name).select_related("branch__catalog").first()


def version_check(branch: Branch, version: int) -> int:
    """``version``, if the branch has lived through it and it has not expired."""
    if not 0 <= version <= branch.head_version:
        raise NotFound("version", str(version), where=f"on branch {branch.name}, whose head is {branch.head_version}")
    lived = branch
    while version < lived.fork_version and lived.parent is not None:
        lived = lived.parent
    if version < lived.oldest_version or lived.expired_at is not None:
        raise NotFound(
            "version", str(version), where=f"on branch {branch.name} any more: it is older than the retention"
        )
    return version


def version_at(branch: Branch, moment: datetime) -> int:
    """The newest version of the branch, inherited ones included, committed at or before ``moment``."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH {LINEAGE} SELECT max(c.version) FROM lineage l CROSS JOIN LATERAL ("
            " SELECT version FROM catalog_app_commit WHERE branch_id = l.branch_id AND version <= l.max_version"
            " AND committed_at <= %(moment)s ORDER BY version DESC LIMIT 1) c",
            {**branch_lineage(branch).parameters, "moment": moment},
        )
        (version,) = cursor.fetchone()
    if version is None:
        raise NotFound("version", f"at {moment.isoformat()}", where=f"on branch {branch.name}: it is before its first")
    return version_check(branch, int(version))


def moment_parse(text: str) -> datetime:
    """A timestamp as written in SQL, UTC unless it says otherwise."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidValue(
            f"{text!r} is not a timestamp.", remedy="Write it as '2026-01-31 10:00:00' (UTC) or with an offset."
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
