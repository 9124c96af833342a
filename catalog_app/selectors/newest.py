"""Rows of any model with ``created_at`` and an UUID, newest first, a page at a time."""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

from django.db.models import BigIntegerField, Model, Q, QuerySet
from django.db.models.functions import Cast, Extract

from lakeui.common.errors import InvalidValue

Row = TypeVar("Row", bound=Model)


def newest_list(found: QuerySet[Row], *, after: tuple[int, str] | None = None, limit: int) -> list[Row]:
    """The newest of these rows behind the key ``after`` (see ``newest_key``). Raises InvalidValue of any other key."""
    keyed = found.annotate(sort_key=Cast(Extract("created_at", "epoch") * 1_000_000, BigIntegerField()))
    if after is not None:
        keyed = keyed.filter(Q(sort_key__lt=after[0]) | Q(sort_key=after[0], pk__lt=_identity(after[1])))
    return list(keyed.order_by("-sort_key", "-pk")[:limit])


def newest_key(row: Any) -> tuple[int, str]:
    """Where a row of ``newest_list`` stands: microseconds of its time, and its id."""
    return row.sort_key, str(row.pk)


def _identity(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidValue("The cursor is not one that this list gave.", remedy="Follow `next`.") from None
