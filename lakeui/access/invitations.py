"""Links by which somebody chooses a password: used once, until they expire."""

from __future__ import annotations

import hashlib
import logging
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db import transaction
from django.utils import timezone

from catalog_app.domain.roles import Principal
from catalog_app.selectors.agents import is_agent
from lakeui.access.models import Invitation
from lakeui.access.people import account_opens_something, link_require
from lakeui.access.sessions import sessions_end
from lakeui.common.counts import counted
from merge_app.audit.accounts import account_record, accounts_lock

logger = logging.getLogger(__name__)

SECRET_BYTES = 32
DAYS = 7


def invitation_make(principal: Principal, user: User, *, days: int = DAYS) -> tuple[Invitation, str]:
    """A new link's secret, shown this once; earlier links of the person end. Raises PermissionDenied, InvalidValue."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    now = timezone.now()
    with transaction.atomic():
        accounts_lock()
        user = User.objects.get(pk=user.pk)
        link_require(principal, user)
        Invitation.objects.filter(user=user, ended_at__isnull=True).update(ended_at=now)
        made = Invitation.objects.create(
            user=user,
            digest=_digest(secret),
            created_by_id=principal.user_id,
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
        account_record(principal, "link", user.username, after={"expires_at": made.expires_at.isoformat()})
    return made, secret


def invitation_find(secret: str) -> Invitation | None:
    """The open link of that secret; None if it is unknown, used, replaced, expired, or of an account that is
    disabled or an agent's. Also if the account gained rights since, and who made the link is no superuser.
    """
    open_links = Invitation.objects.filter(ended_at__isnull=True, expires_at__gt=timezone.now(), user__is_active=True)
    found = open_links.select_related("user__agent", "created_by").filter(digest=_digest(secret)).first()
    if found is None or is_agent(found.user):
        return None
    is_by_superuser = found.created_by is not None and found.created_by.is_superuser
    return found if is_by_superuser or not account_opens_something(found.user) else None


def invitation_use(secret: str, password: str) -> User | None:
    """Give the person the password and end the link, and all sessions from before; None if the link is not open."""
    with transaction.atomic():
        accounts_lock()
        found = invitation_find(secret)
        if found is None:
            return None
        Invitation.objects.filter(pk=found.pk).update(ended_at=timezone.now())
        user = found.user
        user.set_password(password)
        user.save(update_fields=["password"])
        sessions_end(user)
        account_record(Principal(user.pk, user.username), "password", user.username, after={"by": "link"})
    return user


def invitation_mail(user: User, link: str, *, inviter: str, days: int = DAYS) -> bool:
    """Send the link, where a mail server is set and the account has an address; whether it was sent."""
    if not settings.LAKEUI["MAIL"] or not user.email:
        return False
    text = (
        f"{inviter} made a link for your account {user.username} at lakeui.\n\n{link}\n\n"
        f"Choose a password there. The link works once, within {counted(days, 'day')}.\n"
    )
    try:
        send_mail("Your account at lakeui", text, None, [user.email])
    except OSError as problem:
        # smtplib's errors are OSErrors too.
        logger.warning("the mail to %s was not sent: %s", user.email, problem)
        return False
    return True


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
