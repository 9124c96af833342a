"""Keyset pages: a cursor holds the key of the last entry seen, so pages neither shift nor slow down further on."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from lakeui.common.errors import InvalidValue

Entry = TypeVar("Entry")
PAGE_SIZE = 50
LONGEST_PAGE = 200


class PageFilter(serializers.Serializer[Any]):
    """What every list of this kind takes."""

    limit = serializers.IntegerField(
        required=False, default=PAGE_SIZE, min_value=1, max_value=LONGEST_PAGE, help_text="Entries a page."
    )
    cursor = serializers.CharField(required=False, max_length=2000, help_text="From `next`.")


@dataclass(frozen=True, slots=True)
class KeysetPage:
    """The page that a request asks for; ``after`` is the key that it begins behind, None for the first."""

    limit: int
    after: tuple[Any, ...] | None

    @property
    def fetch(self) -> int:
        """How many entries to look up: one more than shown tells whether there is a next page."""
        return self.limit + 1


def keyset_page(filters: dict[str, Any], *kinds: type) -> KeysetPage:
    """Takes ``limit`` and ``cursor`` out of checked filters. ``kinds`` are the types of the key's parts."""
    cursor = filters.pop("cursor", "")
    return KeysetPage(filters.pop("limit"), _decoded(cursor, kinds) if cursor else None)


def page_body(
    request: Request,
    page: KeysetPage,
    entries: Sequence[Entry],
    *,
    key: Callable[[Entry], tuple[Any, ...]],
    shown: Callable[[Sequence[Entry]], Any],
) -> dict[str, Any]:
    """The body of a list: ``next``, and the ``results`` as ``shown`` makes them of the page's entries."""
    following = next_address(request, key(entries[page.limit - 1])) if len(entries) > page.limit else None
    return {"next": following, "results": shown(entries[: page.limit])}


def next_address(request: Request, key: tuple[Any, ...]) -> str:
    """The address of the page that begins behind the key."""
    return replace_query_param(request.build_absolute_uri(), "cursor", cursor_encoded(key))


def page_schema(name: str, entry: serializers.BaseSerializer[Any]) -> Any:
    """How the OpenAPI document describes a page of such entries."""
    return inline_serializer(name, {"next": serializers.URLField(allow_null=True), "results": entry})


def cursor_encoded(key: tuple[Any, ...]) -> str:
    """The key of a page's last entry as a cursor."""
    text = json.dumps(key, ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(cursor: str, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError):
        key = None
    is_key = isinstance(key, list) and [type(part) for part in key] == list(kinds)
    if not is_key or any("\x00" in str(part) for part in key):
        raise InvalidValue("The cursor is not one that this list gave.", remedy="Follow `next`, or leave it out.")
    return tuple(key)
