"""What a branch or tag shows that a statement says is one."""

from __future__ import annotations

from catalog_app.models import Catalog, Tag
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.selectors.tags import tag_get
from lakeui.frontdoor.call import Call
from lakeui.sql import statements as sql


def named_snapshot(call: Call, catalog: Catalog, point: sql.NamedPoint) -> Snapshot:
    """The head of the branch, or what the tag names. Raises NotFound, with the nearest name."""
    if not point.is_tag:
        return branch_snapshot(call.branch_at(catalog, point.name))
    return tag_snapshot(tag_get(catalog, point.name))


def tag_snapshot(tag: Tag) -> Snapshot:
    return branch_snapshot(tag.branch).at(tag.version)
