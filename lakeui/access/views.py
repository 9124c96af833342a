"""The pages that Django draws itself: signing in, and the shell in which the browser application runs."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, SetPasswordForm
from django.contrib.auth.password_validation import password_validators_help_texts
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from lakeui.access.bundle import BundleMissing, bundle_find
from lakeui.access.invitations import invitation_find, invitation_use
from lakeui.access.models import Invitation
from lakeui.access.second_factor_views import let_in
from lakeui.access.single_sign_on import SignOnRefused, sign_on_begin, sign_on_finish, sign_on_offered
from lakeui.access.throttle import (
    WINDOW_SECONDS,
    account_name,
    client_address,
    sign_in_allowed,
    sign_in_failed,
)

logger = logging.getLogger(__name__)

LOGGED_CHARACTERS = 150
INVITED_BY = "invited_by"
"""Where in the session the secret of an invitation's link stands."""
SIGN_ON_NEXT = "sign_on_next"
"""Where in the session it stands what page was wanted."""


class SignInView(LoginView):
    """The sign-in page; too many failures are answered with 429 for a quarter of an hour."""

    template_name = "access/sign_in.html"
    redirect_authenticated_user = True
    next_page = "/"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        provider = settings.LAKEUI["OIDC_NAME"] if sign_on_offered() else ""
        return super().get_context_data(provider=provider, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if sign_in_allowed(**self._who()):
            return super().post(request, *args, **kwargs)
        self._log("refused before the password was looked at, after too many failures")
        page = self.render_to_response(self.get_context_data(form=AuthenticationForm(request), throttled=True))
        page.status_code = 429
        page["Retry-After"] = str(WINDOW_SECONDS)
        return page

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        return let_in(self.request, form.get_user(), wanted=self.get_success_url())

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        sign_in_failed(**self._who())
        self._log("failed")
        return super().form_invalid(form)

    def _who(self) -> dict[str, str]:
        username = self.request.POST.get("username", "")
        return {"address": client_address(self.request), "username": username}

    def _log(self, outcome: str) -> None:
        """One line that a person, or a program that blocks addresses, can act on."""
        who = self._who()
        account = account_name(who["username"])[:LOGGED_CHARACTERS]
        extra = {"account": account, "address": who["address"]}
        logger.warning("sign-in of %r from %s %s", account, who["address"], outcome, extra=extra)


@require_safe
@never_cache
def sign_on(request: HttpRequest) -> HttpResponse:
    """The way to the provider of single sign-on, where there is one."""
    if not sign_on_offered():
        raise Http404
    wanted = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    request.session[SIGN_ON_NEXT] = wanted if is_ours else "/"
    try:
        return sign_on_begin(request, back_to=request.build_absolute_uri(reverse("sign-on-done")))
    except SignOnRefused as refusal:
        return _sign_on_refused(request, refusal)


@require_safe
@never_cache
def sign_on_done(request: HttpRequest) -> HttpResponse:
    """Where the provider sends the browser back to."""
    if not sign_on_offered():
        raise Http404
    try:
        user = sign_on_finish(request)
    except SignOnRefused as refusal:
        return _sign_on_refused(request, refusal)
    wanted = request.session.pop(SIGN_ON_NEXT, "/")
    # The provider asks for a second factor, or does not.
    login(request, user)
    return redirect(wanted)


def _sign_on_refused(request: HttpRequest, refusal: SignOnRefused) -> HttpResponse:
    context = {"form": AuthenticationForm(request), "provider": settings.LAKEUI["OIDC_NAME"], "refusal": str(refusal)}
    return render(request, SignInView.template_name, context, status=403)


class InvitationView(View):
    """The page of an invitation: the link's secret goes into the session, so that no address shows it. Then one
    chooses a password, and is signed in.
    """

    @method_decorator(never_cache)
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        secret = request.GET.get("secret", "")
        if secret:
            if invitation_find(secret) is None:
                return self._gone(request)
            request.session[INVITED_BY] = secret
            return redirect("invitation")
        found = invitation_find(request.session.get(INVITED_BY, ""))
        return self._gone(request) if found is None else self._page(request, found, SetPasswordForm(found.user))

    def post(self, request: HttpRequest) -> HttpResponse:
        secret = request.session.get(INVITED_BY, "")
        found = invitation_find(secret)
        if found is None:
            return self._gone(request)
        form = SetPasswordForm(found.user, request.POST)
        if not form.is_valid():
            return self._page(request, found, form, status=400)
        user = invitation_use(secret, form.cleaned_data["new_password1"])
        if user is None:
            return self._gone(request)
        request.session.flush()
        return let_in(request, user, wanted="/")

    def _page(
        self, request: HttpRequest, found: Invitation, form: SetPasswordForm[Any], status: int = 200
    ) -> HttpResponse:
        rules = password_validators_help_texts()
        return render(
            request, "access/invitation.html", {"person": found.user, "form": form, "rules": rules}, status=status
        )

    def _gone(self, request: HttpRequest) -> HttpResponse:
        return render(request, "access/invitation.html", {"person": None}, status=410)


@login_required
@require_safe
@ensure_csrf_cookie
@never_cache
def application(request: HttpRequest, rest: str = "") -> HttpResponse:
    """The shell of the browser application; what it shows at which address is its own matter."""
    try:
        bundle = bundle_find()
    except BundleMissing as missing:
        logger.warning("The browser application is not built: there is no %s", missing)
        return render(request, "access/bundle_missing.html", status=503)
    context = {"bundle": bundle, "style_nonce": getattr(request, "style_nonce", "")}
    return render(request, "access/application.html", context)
