"""Sessions of browsers, each with who is signed in there, so that they can be listed and ended."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, cast

from django.contrib.auth import SESSION_KEY, user_logged_in
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db.models import QuerySet
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from lakeui.access.models import BrowserSession
from lakeui.access.throttle import client_address

BROWSER = "browser"
"""Where in a session it stands which browser it is of."""
LONGEST_AGENT = 300
SEEN_STEP = timedelta(minutes=1)


class SessionStore(DatabaseStore):
    """Django's store of sessions, whose rows also name the person."""

    seen_at: datetime | None = None

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def _get_session_from_db(self) -> Any:
        # Django has this method for stores that keep more; its type stubs leave it out.
        found = super()._get_session_from_db()  # type: ignore[misc]
        self.seen_at = None if found is None else found.last_seen_at
        return found

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        row = cast(BrowserSession, super().create_model_instance(data))
        browser = data.get(BROWSER)
        if browser and SESSION_KEY in data:
            row.user_id = int(data[SESSION_KEY])
            row.identity = uuid.UUID(browser["identity"])
            row.signed_in_at = datetime.fromisoformat(browser["signed_in_at"])
            row.address, row.agent = browser["address"], browser["agent"]
        return row


@receiver(user_logged_in)
def session_describe(request: HttpRequest, **_: Any) -> None:
    """Note in the new session when and from where it began."""
    request.session[BROWSER] = {
        "identity": str(uuid.uuid4()),
        "signed_in_at": timezone.now().isoformat(),
        "address": client_address(request),
        "agent": request.META.get("HTTP_USER_AGENT", "")[:LONGEST_AGENT],
    }


def session_seen(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: note that a session was used, at most once a minute."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        session, now = request.session, timezone.now()
        seen = getattr(session, "seen_at", None)
        if seen is not None and seen < now - SEEN_STEP and session.session_key:
            BrowserSession.objects.filter(session_key=session.session_key).update(last_seen_at=now)
        return response

    return answer


def sessions_list(user: User) -> QuerySet[BrowserSession]:
    """Where the person is signed in now."""
    return BrowserSession.objects.filter(user=user, expire_date__gt=timezone.now(), identity__isnull=False)


def sessions_end(user: User, *, but: str | None = None) -> int:
    """End the person's sessions at once; ``but`` is the key of one that stays."""
    ended = BrowserSession.objects.filter(user=user)
    return (ended if but is None else ended.exclude(session_key=but)).delete()[0]
