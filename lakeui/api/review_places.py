"""What addresses of merge requests mean, for whom, and preconditions of their edits."""

from __future__ import annotations

import re

from rest_framework.request import Request

from lakeui.api.base import catalog_of
from lakeui.common.errors import InvalidValue
from merge_app.review.models import MergeRequest
from merge_app.review.selectors import request_get


def request_place(request: Request, catalog: str, number: int) -> MergeRequest:
    """The request at an address, for whoever may see its catalog. Raises NotFound."""
    return request_get(catalog_of(request, catalog), number)


def expected_revision(request: Request) -> int | None:
    """The revision that If-Match asks for; None where it asks for none."""
    tag = request.headers.get("If-Match", "").strip()
    if tag in ("", "*"):
        return None
    found = re.fullmatch(r'"(\d{1,18})-[0-9a-f]+"', tag)
    if found is None:
        raise InvalidValue("If-Match holds no ETag of this resource.", remedy="Send the ETag that a GET answered.")
    return int(found[1])
