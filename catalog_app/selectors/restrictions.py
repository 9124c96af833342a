"""Which rows and columns a person does not see, and which catalogs hold such tables for them.

A restriction holds for a role and those below it, or for a group. It holds in its own catalog and in those that share
versions with it, as merges between these carry its table. Owners and superusers are never restricted: they could lift
it. An agent is restricted like its owner too.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from catalog_app.domain.restrictions import Mask, Restriction
from catalog_app.domain.roles import Principal, Role
from catalog_app.models import Catalog
from catalog_app.models import Restriction as StoredRestriction
from catalog_app.selectors.rows import fetch_all, json_value
from lakeui.common.errors import NotFound, RowsRestricted

_RANKS = "ARRAY[" + ", ".join(f"'{role.value}'" for role in Role) + "]"
_RANK = f"array_position({_RANKS}, {{role}})"

_HOLD = f"""
FROM (
    SELECT w.user_id, h.catalog_id, max({_RANK.format(role="h.role")}) AS rank FROM (
        SELECT {{user}}::bigint AS user_id
        UNION SELECT a.owner_id FROM catalog_app_agent a
        JOIN auth_user o ON o.id = a.owner_id AND NOT o.is_superuser WHERE a.user_id = {{user}}
    ) w CROSS JOIN LATERAL (
        SELECT m.catalog_id, m.role FROM catalog_app_catalogmember m WHERE m.user_id = w.user_id
        UNION ALL SELECT r.catalog_id, r.role
        FROM auth_user_groups u JOIN catalog_app_grouprole r ON r.group_id = u.group_id WHERE u.user_id = w.user_id
    ) h GROUP BY w.user_id, h.catalog_id
) held
JOIN catalog_app_catalog c ON c.id = held.catalog_id
JOIN catalog_app_catalog k ON coalesce(k.versions_of_id, k.id) = coalesce(c.versions_of_id, c.id)
JOIN catalog_app_restriction r ON r.catalog_id = k.id
WHERE held.rank < {len(Role)} AND (held.rank <= {_RANK.format(role="r.role")} OR EXISTS (
    SELECT 1 FROM auth_user_groups u WHERE u.user_id = held.user_id AND u.group_id = r.group_id))
"""

_IN_CATALOG = f"""
SELECT DISTINCT r.id, r.table_id, r.row_filter, r.masks, r.names
{_HOLD.format(user="%(user)s")} AND held.catalog_id = %(catalog)s ORDER BY r.id
"""


IS_RESTRICTED = f"EXISTS (SELECT 1 {_HOLD.format(user='%(member)s::bigint')} AND held.catalog_id = {{catalog}})"
"""SQL of whether something in the catalog is hidden from the member."""


def restrictions_of(principal: Principal, catalog_id: int) -> tuple[Restriction, ...]:
    """What is hidden from whoever asks in the catalog; nothing for most."""
    if principal.sees_everything:
        return ()
    found = fetch_all(_IN_CATALOG, {"user": principal.user_id, "catalog": catalog_id}, prepared=True)
    return tuple(
        _read(table_id, row_filter, json_value(masks), json_value(names))
        for _, table_id, row_filter, masks, names in found
    )


def restrictions_for(catalog: Catalog, role: Role | None, group: Group | None) -> list[StoredRestriction]:
    """What is hidden in the catalog from somebody with this role who is in this group alone; None: without one."""
    versions_of = catalog.versions_of_id or catalog.pk
    holds = Q(group=group) if group else Q(pk__in=())
    if role is not None:
        holds |= Q(role__in=[known.value for known in Role if known >= role])
    related = Q(catalog_id=versions_of) | Q(catalog__versions_of_id=versions_of)
    return list(StoredRestriction.objects.filter(related, holds).select_related("group").order_by("pk"))


def restriction_value(stored: StoredRestriction) -> Restriction:
    """What the restriction hides."""
    return _read(stored.table_id, stored.row_filter, stored.masks, stored.names)


def _read(table_id: int, row_filter: str, masks: list[Any], names: dict[str, str]) -> Restriction:
    read = tuple(Mask(mask["column"], mask["name"], mask["expression"]) for mask in masks)
    return Restriction(table_id, row_filter, read, {int(identifier): name for identifier, name in names.items()})


def without_restricted(catalogs: QuerySet[Catalog], principal: Principal) -> QuerySet[Catalog]:
    """Those of the catalogs in which nothing is hidden from whoever asks."""
    if principal.sees_everything:
        return catalogs
    query = f"SELECT held.catalog_id {_HOLD.format(user='%s')}"
    # The text is made of constants of this module; who asks is a parameter.
    return catalogs.exclude(pk__in=RawSQL(query, [principal.user_id, principal.user_id]))  # noqa: S611


def restrictions_refuse(principal: Principal, catalog: Catalog) -> None:
    """Raises RowsRestricted where something in the catalog is hidden from whoever asks: for every way to read that does
    not keep restrictions.
    """
    if principal.sees_everything:
        return
    if restrictions_of(principal, catalog.pk) if catalog.is_restricted is None else catalog.is_restricted:
        raise RowsRestricted(
            f"Rows or columns of catalog {catalog.name} are restricted for you, and this request does not keep that.",
            remedy="Read tables by SELECT, or ask an owner of the catalog to lift the restriction.",
            catalog=catalog.name,
        )


def stored_restrictions(catalog: Catalog) -> QuerySet[StoredRestriction]:
    """The restrictions that are set in the catalog."""
    found: QuerySet[StoredRestriction] = StoredRestriction.objects.filter(catalog=catalog)
    return found.select_related("group", "created_by")


def stored_restriction_get(catalog: Catalog, restriction_id: int) -> StoredRestriction:
    """Raises NotFound."""
    found = stored_restrictions(catalog).filter(pk=restriction_id).first()
    if found is None:
        raise NotFound("restriction", str(restriction_id), where=f"in catalog {catalog.name}")
    return found
