"""Branches that have expired are dropped as DROP BRANCH does; what may not be dropped now waits.

Nothing is lost: UNDROP BRANCH brings such a branch back, without its expiry.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from catalog_app.domain.protection import Change, protection_refusal
from catalog_app.domain.roles import LAKEUI
from catalog_app.models import Branch, Transaction, TransactionState
from catalog_app.selectors.protection import Asked, Bypass, protection_of
from catalog_app.services.catalogs import branch_drop
from catalog_app.services.settings import SettingChange
from merge_app.audit.settings import setting_recorder
from merge_app.mails.models import MailEvent
from merge_app.mails.outbox import Content, mails_leave
from merge_app.review.models import FINISHED_STATES, MergeRequest
from merge_app.webhooks.models import WebhookEvent
from merge_app.webhooks.outbox import event_emit

ANNOUNCED_BEFORE = timedelta(hours=24)


def expiry_waits(branches: Sequence[Branch], now: datetime | None = None) -> dict[int, str]:
    """Why those of the branches that have expired are not dropped, by id: an open merge request or transaction, or a
    protection. No query where none has expired.
    """
    now = now or timezone.now()
    expired = {
        item.pk: item
        for item in branches
        if item.expires_at is not None and item.expires_at <= now and item.dropped_at is None
    }
    if not expired:
        return {}
    waits: dict[int, str] = {}
    is_of_one = Q(source__in=expired) | Q(destination__in=expired)
    unfinished = MergeRequest.objects.filter(is_of_one).exclude(state__in=FINISHED_STATES)
    for number, *ends in unfinished.order_by("-number").values_list("number", "source_id", "destination_id"):
        waits |= {end: f"Merge request {number} is open." for end in ends if end in expired}
    opened = Transaction.objects.filter(target__in=expired, state=TransactionState.OPEN)
    waits |= dict.fromkeys(opened.values_list("target_id", flat=True), "A transaction is open.")
    for branch in expired.values():
        # No one asks: no role and no reason gets past a protection.
        protection = protection_of(branch)
        if protection is not None and protection_refusal(protection, Change.DELETION, None) is not None:
            waits[branch.pk] = f"The branch is protected by {', '.join(protection.patterns)}."
    return waits


def branches_expire(now: datetime | None = None) -> int:
    """Drop what has expired; answers how many. Any number of workers may look at once."""
    now = now or timezone.now()
    expired = Branch.objects.filter(_has_expired(now), catalog__dropped_at__isnull=True)
    return sum(_expire(branch_id, now) for branch_id in list(expired.order_by("pk").values_list("pk", flat=True)))


def branches_announce(now: datetime | None = None) -> int:
    """Leave mails and messages, once each, about branches that expire within a day; answers of how many. An expiry
    that was set for less than a day has none: who set it knows.
    """
    now = now or timezone.now()
    near = _is_near(now) & Q(catalog__dropped_at__isnull=True)
    found = list(Branch.objects.filter(near).order_by("pk").values_list("pk", flat=True))
    return sum(_announce(branch_id, now) for branch_id in found)


def _is_near(now: datetime) -> Q:
    is_long = Q(expiry_set_at__lte=F("expires_at") - ANNOUNCED_BEFORE)
    is_soon = Q(expires_at__gt=now, expires_at__lte=now + ANNOUNCED_BEFORE)
    return is_long & is_soon & Q(expiry_announced_at__isnull=True, dropped_at__isnull=True)


def _announce(branch_id: int, now: datetime) -> bool:
    with transaction.atomic():
        # Of workers that look at once, one changes the row.
        if not Branch.objects.filter(_is_near(now), pk=branch_id).update(expiry_announced_at=now):
            return False
        branch = Branch.objects.select_related("catalog").get(pk=branch_id)
        assert branch.expires_at is not None
        at = branch.expires_at.isoformat(timespec="seconds")
        message = {"catalog": branch.catalog.name, "branch": branch.name, "expires_at": at}
        event_emit(catalog_id=branch.catalog_id, event=WebhookEvent.EXPIRY, build=lambda: message)
        mails_leave(
            users={user for user in (branch.created_by_id, branch.expiry_set_by_id) if user is not None},
            event=MailEvent.BRANCH_EXPIRES,
            catalog_id=branch.catalog_id,
            key=f"expiry/{branch.pk}/{at}",
            build=lambda: Content(
                f"{branch.catalog.name}: branch {branch.name} expires within 24 hours",
                f"{branch.catalog.name}: branch {branch.name} is dropped after {at}, unless its expiry is taken off.",
                f"/c/{quote(branch.catalog.name, safe='')}/b/{quote(branch.name, safe='')}",
            ),
        )
    return True


def _has_expired(now: datetime) -> Q:
    return Q(expires_at__lte=now, dropped_at__isnull=True)


def _expire(branch_id: int, now: datetime) -> bool:
    """Drop the branch, with its record and its message, if it still has expired and nothing is in the way."""
    with transaction.atomic():
        # A commit, request or transaction that is being made holds the row; the next look is in a few seconds.
        free = Branch.objects.select_for_update(skip_locked=True, of=("self",))
        branch = free.select_related("catalog", "expiry_set_by").filter(_has_expired(now), pk=branch_id).first()
        if branch is None or expiry_waits([branch], now):
            return False
        assert branch.expires_at is not None
        set_by = branch.expiry_set_by.get_username() if branch.expiry_set_by else ""
        branch_drop(branch=branch, asked=Asked(), record=_no_bypass)
        before = {"expires_at": branch.expires_at.isoformat(), "set_by": set_by, "head": branch.head_version}
        setting_recorder(LAKEUI)(branch.catalog, SettingChange("expired branch", branch.name, before, None))
        event_emit(catalog_id=branch.catalog_id, event=WebhookEvent.DROP, build=lambda: _message(branch))
    return True


def _no_bypass(_branch: Branch, _bypass: Bypass) -> None:
    raise AssertionError("no protection is bypassed by an expiry")


def _message(branch: Branch) -> dict[str, Any]:
    return {"catalog": branch.catalog.name, "branch": branch.name, "actor": ""}
