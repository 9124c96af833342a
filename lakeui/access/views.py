"""The pages that Django draws itself: signing in and out, the start page, and errors."""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from lakeui.access.overview import lake_overview
from lakeui.access.throttle import WINDOW_SECONDS, sign_in_allowed, sign_in_failed, sign_in_succeeded
from lakeui.common.errors import LakeError

logger = logging.getLogger(__name__)


class SignInView(LoginView):
    """The sign-in page; too many failures are answered with 429 for a quarter of an hour."""

    template_name = "access/sign_in.html"
    redirect_authenticated_user = True
    next_page = "/"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if sign_in_allowed(**self._who()):
            return super().post(request, *args, **kwargs)
        page = self.render_to_response(self.get_context_data(form=AuthenticationForm(request), throttled=True))
        page.status_code = 429
        page["Retry-After"] = str(WINDOW_SECONDS)
        return page

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        sign_in_succeeded(**self._who())
        return super().form_valid(form)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        sign_in_failed(**self._who())
        return super().form_invalid(form)

    def _who(self) -> dict[str, str]:
        username = self.request.POST.get("username", "")
        return {"address": self.request.META.get("REMOTE_ADDR", ""), "username": username}


@login_required
@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """What is in the lake, and where to go on from here."""
    problem = ""
    catalogs: list[dict[str, Any]] = []
    try:
        catalogs = lake_overview(request.user)
    except LakeError as error:
        problem = error.message
    first = next((entry for entry in catalogs if entry["branches"]), None)
    context = {"catalogs": catalogs, "problem": problem, "example_catalog": first["name"] if first else "demo"}
    return render(request, "access/start.html", context)
