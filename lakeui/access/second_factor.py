"""The second factor: codes of an app (TOTP, RFC 6238), and recovery codes that count once, both by django-otp.

A recovery code has 80 random bits. Only the beginning of its SHA-256 is kept, in the place of django-otp's token.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from catalog_app.domain.roles import LAKEUI, Action, Principal, Role, Standing
from catalog_app.selectors.people import role_is_held, standing_require
from lakeui.access.people import person_touch_require, standing_of
from lakeui.access.sessions import sessions_end
from lakeui.common.errors import InvalidValue
from merge_app.audit.accounts import account_record, accounts_lock

RECOVERY_CODES = 10
_BYTES = 10
_APP_DIGITS = 6
_LEAST_ROLE = {"maintainer": Role.MAINTAINER, "owner": Role.OWNER}


class SecondFactor(NamedTuple):
    """``is_required``: by the rule of this server the account does not open without one."""

    is_on: bool
    is_required: bool
    recovery_codes: int


def second_factor_of(user: User) -> SecondFactor:
    left = StaticToken.objects.filter(device__user=user, device__confirmed=True).count()
    return SecondFactor(second_factor_is_on(user), second_factor_is_required(user), left)


def second_factor_is_on(user: User) -> bool:
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def second_factor_is_required(user: User) -> bool:
    """By ``LAKEUI_SECOND_FACTOR``: of none, the staff, them and whoever has a role anywhere, everybody."""
    rule = settings.LAKEUI["SECOND_FACTOR"]
    if rule in ("none", "everybody"):
        return bool(rule == "everybody")
    if standing_of(user) > Standing.PERSON:
        return True
    least = _LEAST_ROLE.get(rule)
    return least is not None and role_is_held(user.pk, least)


def second_factor_begin(user: User, shown: int | None) -> TOTPDevice:
    """The secret that an app is to keep. It counts once a code of it was given. Until then the session to which it was
    ``shown`` sees the same. Every other session gets another, and ends it: whoever saw a secret knows its codes.
    """
    with transaction.atomic():
        accounts_lock()
        waiting = TOTPDevice.objects.filter(user=user, confirmed=False)
        found = waiting.filter(pk=shown).first()
        if found is None:
            waiting.delete()
            found = TOTPDevice.objects.create(user=user, name="app", confirmed=False)
        return found


def secret_shown(device: TOTPDevice) -> str:
    """The secret as it is typed into an app."""
    text = base64.b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def second_factor_set_up(user: User, code: str, *, shown: int | None, stays: str | None) -> list[str] | None:
    """Turn it on where the code is one of the secret that was ``shown``; answers recovery codes, shown this once. Other
    sessions end: ``stays`` is the key of the one that set it up.
    """
    with transaction.atomic():
        accounts_lock()
        if second_factor_is_on(user):
            raise InvalidValue("The second factor is on already.", remedy="Turn it off first.")
        waiting = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=False, pk=shown).first()
        if waiting is None or not waiting.verify_token(_typed(code)):
            return None
        waiting.confirmed = True
        waiting.save(update_fields=["confirmed"])
        sessions_end(user, but=stays)
        account_record(_self(user), "second factor", user.username, after={"by": "the person"})
        return _recovery_codes_make(user)


def second_factor_check(user: User, code: str) -> bool:
    """Whether the code opens the account now. It opens it once. After wrong ones django-otp makes the person wait,
    twice as long each time.
    """
    typed = _typed(code)
    is_of_app = len(typed) == _APP_DIGITS
    kind: type[Any] = TOTPDevice if is_of_app else StaticDevice
    with transaction.atomic():
        # Before the row of the device, as where it is set up or ended: who waits for both waits in one order.
        if not is_of_app:
            accounts_lock()
        device = kind.objects.select_for_update().filter(user=user, confirmed=True).first()
        if device is None or not device.verify_token(typed if is_of_app else _digest(typed)):
            return False
        if not is_of_app:
            left = device.token_set.count()
            account_record(
                _self(user),
                "second factor",
                user.username,
                before={"recovery_codes": left + 1},
                after={"recovery_codes": left},
            )
        return True


def recovery_codes_renew(user: User) -> list[str]:
    """New recovery codes; those from before open nothing any more."""
    with transaction.atomic():
        accounts_lock()
        if not second_factor_is_on(user):
            raise InvalidValue("There is no second factor.", remedy="Set it up first.")
        account_record(_self(user), "second factor", user.username, after={"recovery_codes": RECOVERY_CODES})
        return _recovery_codes_make(user)


def second_factor_end(user: User) -> None:
    """The person turns it off. Raises InvalidValue where the rule of this server asks for it."""
    if second_factor_is_required(user):
        raise InvalidValue("This server asks you for a second factor.", remedy="Set up another app instead.")
    _end(_self(user), user)


def second_factor_reset(principal: Principal, user: User) -> None:
    """A superuser turns it off for somebody else, who lost app and codes: as a link for a used account, it opens doors.
    Their own takes password and code, as everybody's.
    """
    standing_require(principal, Action.MANAGE_GROUPS)
    if principal.user_id == user.pk:
        raise InvalidValue(
            "Your own second factor is turned off on its page, with password and code.",
            remedy="Ask another superuser, or whoever has the server, if you lost app and codes.",
        )
    person_touch_require(principal, user)
    _end(principal, user)


def second_factor_reset_here(user: User) -> None:
    """As ``second_factor_reset``, by whoever has the server itself."""
    _end(LAKEUI, user)


def _end(principal: Principal, user: User) -> None:
    with transaction.atomic():
        accounts_lock()
        if not second_factor_is_on(user):
            raise InvalidValue(
                f"The account of {user.username} has no second factor.", remedy="There is nothing to do."
            )
        for kind in (TOTPDevice, StaticDevice):
            kind.objects.filter(user=user).delete()
        sessions_end(user)
        by = "the person" if principal.user_id == user.pk else principal.name or "the server"
        account_record(principal, "second factor", user.username, before={"by": by})


def _recovery_codes_make(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery codes", confirmed=True)
    codes = [base64.b32encode(secrets.token_bytes(_BYTES)).decode().lower() for _ in range(RECOVERY_CODES)]
    for code in codes:
        device.token_set.create(token=_digest(code))
    return ["-".join(code[start : start + 4] for start in range(0, len(code), 4)) for code in codes]


def _digest(code: str) -> str:
    return base64.b32encode(hashlib.sha256(code.encode()).digest()).decode()[:16]


def _typed(code: str) -> str:
    return "".join(code.split()).replace("-", "").lower()[:64]


def _self(user: User) -> Principal:
    return Principal(user.pk, user.username)
