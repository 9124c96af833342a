"""Results that are kept: made once, fetched in pieces by whoever asked, and removed."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import inf
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from catalog_app.domain.results import KeptRows
from catalog_app.models import KeptResult
from catalog_app.selectors.rows import fetch_all
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import LakeError, NotFound, ResultExpired
from lakeui.common.json_values import storable

LIFETIME = timedelta(hours=6)
"""From when it is whole."""
REMEMBERED = timedelta(days=1)
"""So long it is said of a result that it expired."""
MOST_OF_A_PERSON = 50
MOST_SWEPT = 100


GIB = 1024**3

_HELD = """
SELECT coalesce(sum((f->>'bytes')::bigint), 0)
FROM catalog_app_keptresult r CROSS JOIN jsonb_array_elements(r.files) f
WHERE r.owner_id = %(owner)s AND NOT r.is_gone AND r.expires_at > %(now)s AND jsonb_typeof(r.files) = 'array'
    AND f->>'path' LIKE 'results/%%'
"""


class TooManyResults(LakeError):
    """Details: ``kept``, how many results of the person are kept; ``bytes``, how many bytes these have on the disk."""

    code, status, title = "TOO_MANY_RESULTS", 429, "Too many kept results"


def results_of(user_id: int) -> QuerySet[KeptResult]:
    """Those of the person that are whole and have not expired."""
    return KeptResult.objects.filter(owner=user_id, files__isnull=False, expires_at__gt=timezone.now(), is_gone=False)


def bytes_held(user_id: int) -> int:
    """The bytes of the files that were written for the person's results. Files of tables do not count."""
    ((found,),) = fetch_all(_HELD, {"owner": user_id, "now": timezone.now()})
    return int(found)


def result_begin(
    *, identity: UUID, user_id: int, statement: str, longest: timedelta, most_bytes: float = inf
) -> KeptResult:
    """The row of a result that is made within ``longest``; of an earlier attempt at the same, that one's row. Raises
    TooManyResults. Requests at the same instant may each find the last place: the bound is not exact.
    """
    known = KeptResult.objects.filter(pk=identity, owner=user_id).first()
    if known is not None:
        return known
    kept, held = results_of(user_id).count(), bytes_held(user_id)
    if kept >= MOST_OF_A_PERSON:
        raise _too_many(f"{kept} results of yours are kept, which is the most at a time.", kept, held)
    if held >= most_bytes:
        raise _too_many(
            f"Results of yours have {held / GIB:.3g} GiB, and {most_bytes / GIB:.3g} may be kept.", kept, held
        )
    expires_at = timezone.now() + LIFETIME + longest
    return KeptResult.objects.create(
        id=identity, owner_id=user_id, statement=storable(statement), expires_at=expires_at
    )


def _too_many(message: str, kept: int, held: int) -> TooManyResults:
    return TooManyResults(
        message,
        remedy="Let go of those that you do not need (DELETE /api/v1/results/{id}/)."
        f" Each expires by itself after {LIFETIME.total_seconds() // 3600:.0f} hours.",
        kept=kept,
        bytes=held,
    )


def result_finish(
    begun: KeptResult,
    kept: KeptRows,
    *,
    catalogs: frozenset[int],
    version: int | None,
    warehouse: Warehouse,
    most_bytes: float = inf,
) -> KeptResult:
    """The result with its rows. Of two attempts the first one counts. Raises ResultExpired where it was let go or
    expired meanwhile, TooManyResults where the person's results would have more bytes with it: then its files are
    removed. Of results that end together the first one has its place.
    """
    own = sum(file.bytes for file in kept.files if file.path.startswith(f"{warehouse.result_folder(begun.pk)}/"))
    held, is_too_much = _rows_keep(begun, kept, own, catalogs=catalogs, version=version, most_bytes=most_bytes)
    if is_too_much:
        result_let_go(begun, warehouse=warehouse)
        raise _too_many(
            f"With this result yours would have {(held + own) / GIB:.3g} GiB, and {most_bytes / GIB:.3g} may be kept.",
            results_of(begun.owner_id).count(),
            held,
        )
    found = KeptResult.objects.filter(pk=begun.pk).first()
    if found is None or found.files is None:
        warehouse.discard(warehouse.result_folder(begun.pk))
        raise _expired(timezone.now())
    return found


def _rows_keep(
    begun: KeptResult,
    kept: KeptRows,
    own: int,
    *,
    catalogs: frozenset[int],
    version: int | None,
    most_bytes: float,
) -> tuple[int, bool]:
    """Write the rows into an unfinished result, unless the person's results would have too many bytes with its ``own``.
    Answers the bytes that these have without it, and whether they are too many with it.
    """
    with transaction.atomic():
        get_user_model().objects.select_for_update(no_key=True).get(pk=begun.owner_id)
        unfinished = KeptResult.objects.filter(pk=begun.pk, files__isnull=True, is_gone=False)
        held = bytes_held(begun.owner_id)
        is_too_much = held + own > most_bytes and unfinished.exists()
        if not is_too_much:
            unfinished.update(
                columns=storable(kept.columns),
                files=[file.as_json() for file in kept.files],
                row_count=kept.rows,
                bytes=kept.bytes,
                catalogs=sorted(catalogs),
                version=version,
                expires_at=timezone.now() + LIFETIME,
            )
    return held, is_too_much


def result_get(*, identity: UUID, user_id: int | None) -> KeptResult:
    """The person's result. Those of others cannot be seen. Raises NotFound, ResultExpired."""
    mine = KeptResult.objects.filter(pk=identity, owner=user_id, files__isnull=False)
    found = None if user_id is None else mine.first()
    if found is None:
        raise NotFound("result", str(identity), where="of yours: it was let go, or expired more than a day ago")
    if found.is_gone or found.expires_at <= timezone.now():
        raise _expired(found.expires_at)
    return found


def result_missing(kept: KeptResult) -> ResultExpired:
    """What is said where a file of it is gone before its time: its table was vacuumed, or a backup was restored."""
    return _expired(min(kept.expires_at, timezone.now()))


def _expired(at: datetime) -> ResultExpired:
    return ResultExpired(
        "The rows of this result are no longer kept.",
        remedy="Run the query again: POST /api/v1/results/.",
        expired_at=at.isoformat(),
    )


def result_let_go(kept: KeptResult, *, warehouse: Warehouse) -> None:
    """Remove it with its files. The files go first: without them a row expires, without it they would stay."""
    warehouse.discard(warehouse.result_folder(kept.pk))
    KeptResult.objects.filter(pk=kept.pk).delete()


def results_expire(*, warehouse: Warehouse) -> int:
    """Remove the files of those that have expired. Any number of processes may do so at once."""
    due = KeptResult.objects.filter(expires_at__lte=timezone.now(), is_gone=False).order_by("expires_at")
    ids = list(due.values_list("pk", flat=True)[:MOST_SWEPT])
    for identity in ids:
        warehouse.discard(warehouse.result_folder(identity))
    # A slow attempt finds its row marked, and removes what it wrote.
    return KeptResult.objects.filter(pk__in=ids).update(is_gone=True)


def results_tidy(now: datetime) -> int:
    """Forget those that expired long ago."""
    return KeptResult.objects.filter(expires_at__lt=now - REMEMBERED, is_gone=True).delete()[0]
