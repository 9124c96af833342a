"""What it means for a table that both sides touched a thing: its property, or else the setting of the catalog."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings

from catalog_app.domain.state import TableState
from catalog_app.domain.table_properties import FILE, MERGE_CONFLICTS, properties_check
from catalog_app.selectors.lineage import Lineage
from catalog_app.selectors.rows import fetch_all
from lakeui.common.errors import NotSupported
from merge_app.lineage.facts import Granularity

_INHERITED = """
SELECT c.merge_conflicts FROM catalog_app_branch b JOIN catalog_app_catalog c ON c.id = b.catalog_id
WHERE b.id = %(branch)s
"""


def granularity_check(value: str, where: str = "") -> None:
    """Raise NotSupported where merges do not go by the setting."""
    if value != FILE and not settings.LAKEUI["MERGE_BY_LINEAGE"]:
        raise NotSupported(
            f"{MERGE_CONFLICTS} = '{value}'{where} needs merging by lineage, which is off.",
            remedy=f"Start lakeui with LAKEUI_MERGE_BY_LINEAGE=1, or set {MERGE_CONFLICTS} = '{FILE}'.",
            field=MERGE_CONFLICTS,
        )


def granularities(tables: Iterable[TableState], target: Lineage) -> dict[int, Granularity]:
    """By table without a primary key, as the target of a merge has it. Raises NotSupported, InvalidValue."""
    chosen = [table for table in tables if not table.schema.is_keyed]
    inherited = FILE
    if any(MERGE_CONFLICTS not in table.properties for table in chosen):
        ((inherited,),) = fetch_all(_INHERITED, {"branch": target.branch_ids[0]})
    found = {}
    for table in chosen:
        value = table.properties.get(MERGE_CONFLICTS, inherited)
        properties_check({MERGE_CONFLICTS: value})
        granularity_check(value, f" of table {table.name}")
        found[table.table_id] = Granularity(value)
    return found
