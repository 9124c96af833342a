"""Catalogs and branches by name, and the look-up chain that every other selector falls through (semantics §2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Lower

from catalog_app.models import Branch, Catalog, GroupRole, Tag
from catalog_app.selectors.restrictions import IS_RESTRICTED
from catalog_app.selectors.rows import columns_of, fetch_all, fetch_models, models_of
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.common.nearest import nearest_name


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Branches to look in, nearest first, and of each the newest version that counts."""

    branch_ids: tuple[int, ...]
    limits: tuple[int, ...]

    @property
    def version(self) -> int:
        """The version that is looked at."""
        return self.limits[0]

    def at(self, version: int) -> Snapshot:
        """The same chain, looked at as of ``version``."""
        return Snapshot(self.branch_ids, tuple(min(limit, version) for limit in self.limits))

    @property
    def parameters(self) -> dict[str, list[int]]:
        """Query parameters ``branch_ids`` and ``limits`` for ``SNAPSHOT``."""
        return {"branch_ids": list(self.branch_ids), "limits": list(self.limits)}


SNAPSHOT = """snapshot AS MATERIALIZED (
    SELECT branch_id, max_version, depth
    FROM unnest(%(branch_ids)s::bigint[], %(limits)s::bigint[]) WITH ORDINALITY AS l(branch_id, max_version, depth)
)"""
"""The common table expression that turns ``Snapshot.parameters`` into rows."""


SNAPSHOTS = """snapshots AS MATERIALIZED (
    SELECT place, branch_id, max_version, depth
    FROM unnest(%(places)s::bigint[], %(branch_ids)s::bigint[], %(limits)s::bigint[]) WITH ORDINALITY
        AS l(place, branch_id, max_version, depth)
)"""
"""The same of several, by the place of each among them; see ``snapshots_parameters``."""


def snapshots_parameters(*snapshots: Snapshot) -> dict[str, list[int]]:
    """Query parameters for ``SNAPSHOTS``."""
    return {
        "places": [place for place, snapshot in enumerate(snapshots) for _ in snapshot.branch_ids],
        "branch_ids": [branch for snapshot in snapshots for branch in snapshot.branch_ids],
        "limits": [limit for snapshot in snapshots for limit in snapshot.limits],
    }


def branch_snapshot(branch: Branch) -> Snapshot:
    """The look-up chain of a branch at its head."""
    return Snapshot((branch.pk, *branch.ancestor_branches), (branch.head_version, *branch.ancestor_limits))


def named(objects: QuerySet[Any], name: str) -> QuerySet[Any]:
    """Those of that name, whatever the case of its letters, in the form that the unique indexes on names answer."""
    return objects.alias(name_key=Lower("name")).filter(name_key=Lower(Value(name)))


_IS_BRANCH = (
    "b.catalog_id = {catalog} AND lower(b.name) = lower(%({name})s) AND b.dropped_at IS NULL AND NOT b.is_workspace"
)

_CATALOG = f"""
SELECT {columns_of(Catalog, "c")}, {columns_of(Branch, "b")}, {IS_RESTRICTED.format(catalog="c.id")}
FROM catalog_app_catalog c
LEFT JOIN catalog_app_branch b ON {_IS_BRANCH.format(catalog="c.id", name="branch")}
WHERE lower(c.name) = lower(%(name)s) AND c.dropped_at IS NULL AND (%(member)s::bigint IS NULL OR EXISTS (
    SELECT 1 FROM catalog_app_catalogmember m WHERE m.catalog_id = c.id AND m.user_id = %(member)s::bigint
    UNION ALL SELECT 1 FROM catalog_app_grouprole r JOIN auth_user_groups u ON u.group_id = r.group_id
    WHERE r.catalog_id = c.id AND u.user_id = %(member)s::bigint))
"""


def catalog_get(name: str, *, member: int | None = None) -> Catalog:
    """The valid catalog of that name; NotFound with the nearest one otherwise. Where ``member`` is given, there are
    only the catalogs in which this user has a role, by name or by group.
    """
    return catalog_with_branch(name, "", member=member)[0]


def catalog_with_branch(name: str, branch: str, *, member: int | None = None) -> tuple[Catalog, Branch | None]:
    """The same with the valid branch of that name, if there is one, in one query."""
    asked = {"name": name, "branch": branch, "member": member}
    for row in fetch_all(_CATALOG, asked, prepared=True):
        catalog, found = models_of(row, Catalog, Branch)
        catalog.is_restricted = row[-1] if member is not None else None
        if found is not None:
            found.catalog = catalog
        return catalog, found
    valid = Catalog.objects.filter(dropped_at__isnull=True)
    if member is not None:
        by_group = GroupRole.objects.filter(group__user=member).values("catalog")
        valid = valid.filter(Q(members__user_id=member) | Q(pk__in=by_group)).distinct()
    raise NotFound("catalog", name, nearest=nearest_name(name, valid.values_list("name", flat=True)))


_BRANCH = f"""
SELECT {columns_of(Branch, "b")} FROM catalog_app_branch b
WHERE {_IS_BRANCH.format(catalog="%(catalog)s", name="name")}
"""


def branch_get(catalog: Catalog, name: str) -> Branch:
    """The valid branch of that name; NotFound with the nearest one otherwise."""
    for branch in fetch_models(Branch, _BRANCH, {"catalog": catalog.pk, "name": name}):
        branch.catalog = catalog
        return branch
    valid = Branch.objects.filter(catalog=catalog, dropped_at__isnull=True, is_workspace=False)
    where = f"in catalog {catalog.name}"
    renamed = valid.filter(former_names__contains=[name]).order_by("-pk").first()
    if renamed is not None:
        raise NotFound("branch", name, where=where, renamed_to=renamed.name)
    raise NotFound("branch", name, nearest=nearest_name(name, valid.values_list("name", flat=True)), where=where)


_LOCKED = f"""
SELECT {columns_of(Branch, "b")} FROM catalog_app_branch b
WHERE b.id = ANY(%(branches)s) AND b.dropped_at IS NULL ORDER BY b.id FOR NO KEY UPDATE
"""


def branches_locked(branch_ids: Iterable[int]) -> dict[int, Branch]:
    """The rows of the branches, locked until the transaction ends, in the order of their ids. Without those that were
    dropped. The lock lets others refer to a branch, so that merges into each other's source do not wait for each other.
    """
    return {branch.pk: branch for branch in fetch_models(Branch, _LOCKED, {"branches": list(branch_ids)})}


_WITH_PARENT = f"""
SELECT {columns_of(Branch, "b")}, {columns_of(Branch, "p")}
FROM catalog_app_branch b LEFT JOIN catalog_app_branch p ON p.id = b.parent_id
WHERE b.id = %(branch)s AND b.dropped_at IS NULL
"""


def branch_with_parent(branch_id: int) -> Branch | None:
    """The branch as it is, with its parent, which may have been dropped; None of one that was dropped itself."""
    for row in fetch_all(_WITH_PARENT, {"branch": branch_id}, prepared=True):
        found, parent = models_of(row, Branch, Branch)
        found.parent = parent
        return found
    return None


_TAG = f"""
SELECT {columns_of(Tag, "t")} FROM catalog_app_tag t
WHERE t.catalog_id = %(catalog)s AND lower(t.name) = lower(%(name)s)
"""


def tag_find(catalog: Catalog, name: str) -> Tag | None:
    """The tag of that name, with its branch, which may have been dropped since."""
    for tag in fetch_models(Tag, _TAG, {"catalog": catalog.pk, "name": name}):
        tag.branch = Branch.objects.select_related("catalog").get(pk=tag.branch_id)
        return tag
    return None


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
            f"WITH {SNAPSHOT} SELECT max(c.version) FROM snapshot l CROSS JOIN LATERAL ("
            " SELECT version FROM catalog_app_commit WHERE branch_id = l.branch_id AND version <= l.max_version"
            " AND committed_at <= %(moment)s ORDER BY version DESC LIMIT 1) c",
            {**branch_snapshot(branch).parameters, "moment": moment},
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
