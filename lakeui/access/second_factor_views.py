"""The pages of the second factor: where a sign-in asks for its code, and where it is set up and turned off."""

from __future__ import annotations

import logging
import time
from typing import Any

import segno
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from lakeui.access.backends import may_sign_in
from lakeui.access.second_factor import (
    recovery_codes_renew,
    second_factor_begin,
    second_factor_check,
    second_factor_end,
    second_factor_is_on,
    second_factor_is_required,
    second_factor_of,
    second_factor_set_up,
    secret_shown,
)
from lakeui.access.throttle import (
    WINDOW_SECONDS,
    client_address,
    sign_in_allowed,
    sign_in_failed,
    sign_in_succeeded,
)
from lakeui.common.errors import InvalidValue

logger = logging.getLogger(__name__)

UNFINISHED = "unfinished_sign_in"
"""Where in a session without a sign-in it stands whose password was right, until when, and what was wanted."""
UNFINISHED_SECONDS = 10 * 60
SHOWN = "second_factor_shown"
"""Where in a session it stands which secret was shown there."""

_WRONG_CODE = "The code is not right, or was used. After wrong ones wait a little, and take the next."
_WRONG_PASSWORD = "The password is not right."  # noqa: S105 - a text, no password
_TOO_MANY = "Too many failed attempts. Wait a quarter of an hour, then try again."


def let_in(request: HttpRequest, user: Any, *, wanted: str) -> HttpResponse:
    """Sign somebody in whose password was right, or ask for the second factor first. Where the rule of this server
    demands one that is not there, it is set up first.
    """
    is_on = second_factor_is_on(user)
    if not is_on and not second_factor_is_required(user):
        return _signed_in(request, user, wanted)
    request.session.cycle_key()
    until = int(time.time()) + UNFINISHED_SECONDS
    # The hash too: a password that is changed meanwhile ends this.
    request.session[UNFINISHED] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "until": until,
        "wanted": wanted,
    }
    return redirect("sign-in-code" if is_on else "second-factor")


def _signed_in(request: HttpRequest, user: User, wanted: str) -> HttpResponse:
    sign_in_succeeded(**_who(request, user))
    request.session.pop(UNFINISHED, None)
    login(request, user)
    return redirect(wanted)


def _who(request: HttpRequest, user: User) -> dict[str, str]:
    return {"address": client_address(request), "username": user.get_username()}


def _signing_in(request: HttpRequest) -> User | None:
    """Whose password was right in this session, a short time ago."""
    found = request.session.get(UNFINISHED)
    if not found or found["until"] < time.time():
        return None
    user = User.objects.filter(pk=found["user"]).first()
    is_same = user is not None and user.get_session_auth_hash() == found["hash"]
    return user if is_same and may_sign_in(user) else None


def _failed(request: HttpRequest, user: User) -> None:
    who = _who(request, user)
    sign_in_failed(**who)
    extra = {"account": who["username"], "address": who["address"]}
    logger.warning("second factor of %r from %s failed", who["username"], who["address"], extra=extra)


def _throttled(page: HttpResponse) -> HttpResponse:
    page["Retry-After"] = str(WINDOW_SECONDS)
    return page


@method_decorator(never_cache, name="dispatch")
class CodeView(View):
    """Asks whoever is signing in for a code of the app, or a recovery code."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return redirect("login") if _signing_in(request) is None else self._page(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        user = _signing_in(request)
        if user is None:
            return redirect("login")
        if not sign_in_allowed(**_who(request, user)):
            return _throttled(self._page(request, _TOO_MANY, status=429))
        if not second_factor_check(user, request.POST.get("code", "")):
            _failed(request, user)
            return self._page(request, _WRONG_CODE)
        return _signed_in(request, user, request.session[UNFINISHED]["wanted"])

    def _page(self, request: HttpRequest, alert: str = "", status: int = 200) -> HttpResponse:
        return render(request, "access/code.html", {"alert": alert}, status=status)


@method_decorator(never_cache, name="dispatch")
class SecondFactorView(View):
    """Sets the second factor up, makes new recovery codes, and turns it off: of who is signed in, or is signing
    in to a server that asks for one. Each change takes the password, but of whoever just gave it to sign in.
    """

    user: User

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        signed_in = request.user if request.user.is_authenticated else None
        user = signed_in or _signing_in(request)
        # Who has one already, and gave no code of it, changes nothing here.
        if user is None or (signed_in is None and second_factor_is_on(user)):
            return redirect("login")
        assert isinstance(user, User)
        self.user = user
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        if not sign_in_allowed(**_who(request, self.user)):
            return _throttled(self._page(request, _TOO_MANY, status=429))
        if self._is_signed_in(request) and not self._password_is_right(request):
            _failed(request, self.user)
            return self._page(request, _WRONG_PASSWORD, status=400)
        try:
            return self._done(request, request.POST.get("action", ""))
        except InvalidValue as refusal:
            return self._page(request, f"{refusal.message} {refusal.remedy}", status=400)

    def _is_signed_in(self, request: HttpRequest) -> bool:
        return request.user.is_authenticated

    def _password_is_right(self, request: HttpRequest) -> bool:
        """Who signs in elsewhere alone has none to give."""
        if not self.user.has_usable_password():
            return True
        return self.user.check_password(request.POST.get("password", ""))

    def _done(self, request: HttpRequest, action: str) -> HttpResponse:
        code = request.POST.get("code", "")
        if action == "set-up":
            return self._set_up(request, code)
        if action not in ("codes", "off") or not self._is_signed_in(request):
            return self._page(request, "That is no action of this page.", status=400)
        if not second_factor_check(self.user, code):
            _failed(request, self.user)
            return self._page(request, _WRONG_CODE, status=400)
        if action == "codes":
            return self._page(request, codes=recovery_codes_renew(self.user))
        second_factor_end(self.user)
        # The sessions from before have ended, this one too.
        request.session.flush()
        return redirect("login")

    def _set_up(self, request: HttpRequest, code: str) -> HttpResponse:
        codes = second_factor_set_up(
            self.user, code, shown=request.session.get(SHOWN), stays=request.session.session_key
        )
        if codes is None:
            _failed(request, self.user)
            return self._page(request, _WRONG_CODE, status=400)
        wanted = "/"
        if not self._is_signed_in(request):
            wanted = request.session[UNFINISHED]["wanted"]
            _signed_in(request, self.user, wanted)
        return self._page(request, codes=codes, wanted=wanted)

    def _page(
        self,
        request: HttpRequest,
        alert: str = "",
        *,
        codes: list[str] | None = None,
        wanted: str = "/",
        status: int = 200,
    ) -> HttpResponse:
        context: dict[str, Any] = {
            "alert": alert,
            "codes": codes,
            "wanted": wanted,
            "person": self.user,
            "found": second_factor_of(self.user),
            "asks_password": self._is_signed_in(request) and self.user.has_usable_password(),
            "is_signing_in": not self._is_signed_in(request),
        }
        if not context["found"].is_on:
            device = second_factor_begin(self.user, request.session.get(SHOWN))
            request.session[SHOWN] = device.pk
            picture = segno.make(device.config_url, error="m").svg_data_uri(scale=4, border=4, light="white")
            context |= {"secret": secret_shown(device), "picture": picture}
        return render(request, "access/second_factor.html", context, status=status)
