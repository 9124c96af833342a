"""Signing in by password, or by the link of an invitation, for an access token: as a browser does it.

The session that the server opens ends here again; what stays is the token.
"""

from __future__ import annotations

import html
import http.client
import json
import re
from collections.abc import Callable
from http.cookies import SimpleCookie
from typing import Any, NoReturn, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from lakeui_client.errors import error_of, failed
from lakeui_client.http import Answer, Http

INVITATION = "/invitation/"
_ALERT = re.compile(r'class="alert"[^>]*>(.*?)</p>', re.DOTALL)
GONE, TOO_MANY, UNAUTHENTICATED = 410, 429, 401
_REMEDIES = {
    400: "Choose another password.",
    TOO_MANY: "Nothing was looked at.",
    GONE: "Ask whoever sent it for a new one: lake people --link NAME.",
}
_HEADING = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)


def token_by_password(
    url: str, username: str, password: str, *, purpose: str, code: Callable[[], str], expires_at: str | None = None
) -> str:
    """A new token of the account. ``code`` is asked for a code of the second factor where the account has one."""
    with Pages(url) as pages:
        pages.read("/login/")
        answer = pages.post("/login/", {"username": username, "password": password})
        return _token_of(pages, answer, "/login/", purpose, code, expires_at)


def token_by_link(
    link: str, password: str, *, purpose: str, code: Callable[[], str], expires_at: str | None = None
) -> str:
    """Choose the password of an invited account, and make a token of it. The link works once."""
    url, secret = link_read(link)
    with Pages(url) as pages:
        opened = pages.read(f"{INVITATION}?{urlencode({'secret': secret})}")
        if opened.status != 302:
            _refuse(opened, "/login/", url)
        pages.read(INVITATION)
        answer = pages.post(INVITATION, {"new_password1": password, "new_password2": password})
        return _token_of(pages, answer, "/login/", purpose, code, expires_at)


def link_read(link: str) -> tuple[str, str]:
    """The server of an invitation's link, and its secret."""
    before, _, _ = link.partition(INVITATION)
    secret = parse_qs(urlsplit(link).query).get("secret", [""])[0]
    if not secret or before == link:
        raise failed("This is not the link of an invitation.", "Give the whole link, as lake people --invite shows it.")
    return before, secret


class Pages(Http):
    """Requests as a browser sends them: with cookies, and without a token."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "")
        self._cookies: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, path: str) -> Answer:
        return self._visit("GET", path, None, {})

    def post(self, path: str, form: dict[str, str]) -> Answer:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._visit("POST", path, urlencode(form).encode(), headers)

    def post_json(self, path: str, body: Any) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return self._visit("POST", path, json.dumps(body).encode(), headers).json

    def _visit(self, method: str, path: str, content: bytes | None, headers: dict[str, str]) -> Answer:
        """The answer itself, a redirection too."""
        origin = f"{self._parts.scheme}://{self._parts.netloc}"
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        given = {"Origin": origin, "X-CSRFToken": self._cookies.get("csrftoken", ""), **headers}
        given |= {"Cookie": cookies} if cookies else {}
        try:
            connection = self._connect()
            try:
                connection.request(method, f"{self._parts.path.rstrip('/')}{path}", content, given)
                response = connection.getresponse()
                self._keep(response)
                found = {name.lower(): value for name, value in response.getheaders()}
                return Answer(response.status, found, response.read())
            finally:
                connection.close()
        except (OSError, http.client.HTTPException) as error:
            raise self.no_answer(error) from error

    def _keep(self, response: http.client.HTTPResponse) -> None:
        for header in response.headers.get_all("Set-Cookie") or ():
            self._cookies |= {name: entry.value for name, entry in SimpleCookie(header).items()}


def _token_of(
    pages: Pages, answer: Answer, page: str, purpose: str, code: Callable[[], str], expires_at: str | None
) -> str:
    """The token of whom ``answer`` signed in, or would once their code is given."""
    if answer.status == 302 and _leads(answer).endswith("/login/code/"):
        page = "/login/code/"
        pages.read(page)
        answer = pages.post(page, {"code": code().strip()})
    if answer.status != 302:
        _refuse(answer, page, pages.url)
    if _leads(answer).endswith("/second-factor/"):
        raise failed(
            "This server asks for a second factor, and the account has none.",
            f"Sign in at {pages.url}/login/ once and set it up there.",
            code="SECOND_FACTOR_MISSING",
        )
    try:
        made = pages.post_json("/api/v1/tokens/", {"name": purpose, "expires_at": expires_at})
    finally:
        pages.post("/logout/", {})
    return str(made["token"])


def _leads(answer: Answer) -> str:
    return urlsplit(answer.headers.get("location", "")).path


def _refuse(answer: Answer, page: str, url: str) -> NoReturn:
    """Raise what the page says. A page that says nothing is of another server, or of one in between."""
    text = answer.content.decode("utf-8", "replace")
    found = _ALERT.findall(text) or (_HEADING.findall(text) if answer.status == GONE else [])
    if not found:
        raise failed(f"{url}{page} is no page that signs in.", "Look whether the address is that of a lakeui server.")
    detail = " ".join(" ".join(html.unescape(part).split()) for part in found)
    remedy = _REMEDIES.get(answer.status, f"With single sign-on, make a token on the page {url}/settings instead.")
    # A page answers 200 where the password is not right.
    status = max(answer.status, UNAUTHENTICATED)
    raise error_of({"code": "UNAUTHENTICATED", "status": status, "detail": detail, "remedy": remedy})
