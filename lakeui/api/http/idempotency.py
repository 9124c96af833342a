"""Writes that bear an Idempotency-Key are done once: a repeated one is answered as the first was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, transaction
from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.roles import catalogs_of
from lakeui.api.http.base import scopes_of
from lakeui.common.errors import InvalidValue
from merge_app.jobs.errors import IdempotencyMismatch
from merge_app.jobs.selectors import task_known
from merge_app.review.models import AnsweredRequest

LONGEST_KEY = 255

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Any text of your own, up to 255 characters. The same request with the same key is done once"
    " within a week.",
)


def task_key(request: Request) -> str:
    """The key of a request that becomes a task, "" if it bears none. Raises IdempotencyMismatch where the key belongs
    to a request that was none.
    """
    key = _key(request)
    if key and AnsweredRequest.objects.filter(user=request.user.pk, key=key).exists():
        raise _mismatch()
    return key


def _key(request: Request) -> str:
    key = request.headers.get("Idempotency-Key", "").strip()
    if len(key) > LONGEST_KEY or not key.isascii() or not (key.isprintable() or not key):
        raise InvalidValue(
            "The Idempotency-Key must be printable ASCII of at most 255 characters.", remedy="A random UUID is fine."
        )
    # What another token did under a key may be of a catalog that this one does not reach.
    limited = key and catalogs_of(scopes_of(request)) is not None
    return hashlib.sha256(f"{request.auth.pk} {key}".encode()).hexdigest() if limited else key


def request_digest(request: Request, content: Any) -> str:
    """What tells one request from another under the same key: method, address and ``content``."""
    parts = [request.method, request.get_full_path(), content]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def once(request: Request, work: Callable[[], Response]) -> Response:
    """What ``work`` answers, or answered when the request came before under the same key.

    The answer is kept in the transaction of the work, so a work that failed may be tried again. Raises
    IdempotencyMismatch where the key belongs to another request.
    """
    key = _key(request)
    if not key:
        return work()
    digest = request_digest(request, request.data)
    user_id = request.user.pk
    assert user_id is not None
    known = _answered(user_id, key, digest)
    if known is not None:
        return known
    if task_known(user_id=user_id, idempotency_key=key):
        raise _mismatch()
    try:
        with transaction.atomic():
            response = work()
            _keep(user_id, key, digest, response)
    except IntegrityError:
        # Another request with the key was quicker: its answer is the answer. Else it was the work's own breach.
        known = _answered(user_id, key, digest)
        if known is None:
            raise
        return known
    return response


def _keep(user_id: int, key: str, digest: str, response: Response) -> None:
    AnsweredRequest.objects.create(
        user_id=user_id,
        key=key,
        digest=digest,
        status=response.status_code,
        body=json.loads(JSONRenderer().render(response.data)) if response.data is not None else None,
        location=response.get("Location", ""),
    )


def _answered(user_id: int, key: str, digest: str) -> Response | None:
    known = AnsweredRequest.objects.filter(user_id=user_id, key=key).first()
    if known is None:
        return None
    if known.digest != digest:
        raise _mismatch()
    headers = {"Location": known.location} if known.location else {}
    return Response(known.body, status=known.status, headers=headers)


def _mismatch() -> IdempotencyMismatch:
    return IdempotencyMismatch(
        "This Idempotency-Key was used before with a different request.", remedy="Use a new key for a new request."
    )
