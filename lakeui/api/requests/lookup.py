"""What addresses of merge requests mean, for whom, and preconditions of their edits."""

from __future__ import annotations

import re

from rest_framework.request import Request

from catalog_app.selectors.restrictions import restrictions_refuse
from lakeui.api.http.base import catalog_of, principal_of
from lakeui.api.http.entity_tags import entity_tags
from lakeui.common.errors import InvalidValue
from merge_app.review.models import MergeRequest
from merge_app.review.selectors import request_get

_REVISED = re.compile(r'"(\d{1,18})-[0-9a-f]+"')


def addressed_request(request: Request, catalog: str, number: int) -> MergeRequest:
    """The request at an address, for whoever may see its catalog. Raises NotFound, and RowsRestricted where rows of the
    catalog that it comes from are restricted for who asks.
    """
    found = request_get(catalog_of(request, catalog), number)
    if found.source.catalog_id != found.catalog_id:
        restrictions_refuse(principal_of(request), found.source.catalog)
    return found


def expected_revision(request: Request) -> int | None:
    """The revision that If-Match asks for, the newest where it names several; None where it asks for none."""
    tags = entity_tags(request, "If-Match")
    if not tags or tags == ["*"]:
        return None
    found = [int(match[1]) for tag in tags if (match := _REVISED.fullmatch(tag))]
    if not found:
        raise InvalidValue("If-Match holds no ETag of this resource.", remedy="Send the ETag that a GET answered.")
    return max(found)
