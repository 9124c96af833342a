"""Catalogs that merge count their versions together from then on (``CatalogJoin``)."""

from __future__ import annotations

from django.db import transaction

from catalog_app.models import Catalog, CatalogJoin
from catalog_app.selectors.homes import merged_before_refuse
from catalog_app.selectors.rows import fetch_all
from lakeui.common.faults import fault_point

_LOCK_CLASS = 1785686382
"""Of advisory locks: a commit holds that of its catalog shared (``lakeui_next_version``), a join alone."""
_ALL_JOINS = 0

_LOCK = "SELECT pg_advisory_xact_lock(%(class)s, %(of)s)"
_MEMBERS = """
SELECT id FROM catalog_app_catalog WHERE coalesce(versions_of_id, id) = (
    SELECT coalesce(versions_of_id, id) FROM catalog_app_catalog WHERE id = %(catalog)s)
ORDER BY id
"""
_LEADER = "SELECT coalesce(versions_of_id, id) FROM catalog_app_catalog WHERE id = %(catalog)s"


def catalogs_join(first: int, second: int) -> None:
    """Let two catalogs, and all that each is joined with, share one sequence of versions. It begins after the newest
    version of either. A second call changes nothing. Raises NotSupported where two of them merged by operations before.

    No commit of these catalogs is between its version and its end meanwhile: the join waits for those, and they for it.
    """
    with transaction.atomic():
        fetch_all(_LOCK, {"class": _LOCK_CLASS, "of": _ALL_JOINS})
        groups = [[row[0] for row in fetch_all(_MEMBERS, {"catalog": item})] for item in (first, second)]
        if groups[0] == groups[1]:
            return
        members = sorted(groups[0] + groups[1])
        for member in members:
            fetch_all(_LOCK, {"class": _LOCK_CLASS, "of": member})
        merged_before_refuse(members)
        leaders = sorted(fetch_all(_LEADER, {"catalog": item})[0][0] for item in (first, second))
        version = max(_newest_version(leader) for leader in leaders)
        kept = leaders[0]
        counted = {"sequence": _sequence(kept), "version": max(version, 1), "is_used": version > 0}
        fetch_all("SELECT setval(%(sequence)s::regclass, %(version)s, %(is_used)s)", counted)
        Catalog.objects.filter(pk__in=members).exclude(pk=kept).update(versions_of_id=kept)
        CatalogJoin.objects.bulk_create(
            CatalogJoin(catalog_id=pair[0], other_id=pair[1], version=version)
            for one in groups[0]
            for another in groups[1]
            for pair in ((one, another), (another, one))
        )
        fault_point("catalogs.joining")


def _newest_version(catalog_id: int) -> int:
    ((version, is_used),) = fetch_all(f"SELECT last_value, is_called FROM {_sequence(catalog_id)}", {})
    return int(version) if is_used else 0


def _sequence(catalog_id: int) -> str:
    return f"catalog_version_{catalog_id:d}"
