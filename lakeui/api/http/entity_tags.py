"""Entity tags in If-Match and If-None-Match (RFC 9110, 8.8.3)."""

from __future__ import annotations

import re

from rest_framework.request import Request

_ENTRY = re.compile(r'(?:[^,"]|"[^"]*")+')
"""One entry of a list; a comma inside of quotes is part of the tag."""
_CODED = re.compile(r'"?(?:-{1,2}|;)(?:gzip|x-gzip|deflate|df|br|zstd)"?$')
"""What a proxy that compresses answers writes behind a tag, or into it."""


def entity_tags(request: Request, header: str) -> list[str]:
    """The tags of a header; what is no tag stays as it was sent, and matches none.

    A weak tag counts as its strong one, and a tag with the name of a compression as the one without. The proxy that
    compressed the answer has changed the tag, and the content is the same.
    """
    sent = request.headers.get(header, "").strip()
    entries = [entry.strip() for entry in _ENTRY.findall(sent)]
    found = [_CODED.sub('"', entry.removeprefix("W/")) for entry in entries if entry]
    return found or [sent] * bool(sent)
