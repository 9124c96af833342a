"""What all API views share, set here so that no view depends on the project's defaults."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http.response import HttpResponseBase
from drf_spectacular.openapi import AutoSchema
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from catalog_app.domain.names import name_folded
from catalog_app.domain.roles import Action, Principal, Scopes, catalogs_of, scopes_read
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.people import catalog_for, catalog_reach
from lakeui import frontdoor
from lakeui.access.authentication import BearerAuthentication, BrowserAuthentication
from lakeui.access.models import AccessToken
from lakeui.api.http.entity_tags import entity_tags
from lakeui.api.http.errors import exception_response
from lakeui.api.http.strict import StrictJSONParser, body_refuse, nul_refuse, query_refuse, takes_body
from lakeui.api.http.throttling import PersonThrottle
from lakeui.common.errors import InvalidValue, PermissionDenied, Stale

LONGEST_STATEMENT_BYTES = 1024 * 1024


class ApiView(APIView):
    """A view of the HTTP interface: token or session, JSON in and out, problems for everything else."""

    authentication_classes = [BearerAuthentication, BrowserAuthentication]
    permission_classes = [IsAuthenticated]
    throttle_classes = [PersonThrottle]
    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer]
    # OPTIONS is refused: the document says what there is, and other origins are not let in.
    metadata_class = None
    schema = AutoSchema()
    serves_limited_tokens = False
    """Whether an address of no one catalog shows and changes nothing of others than those that a token is limited to.
    """
    keeps_restrictions: frozenset[str] = frozenset()
    """Methods that show nothing which may be restricted; all others are refused to whom rows are restricted."""

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Names in addresses are looked up in the one form that they are kept in."""
        folded = {key: name_folded(value) if isinstance(value, str) else value for key, value in kwargs.items()}
        return super().dispatch(request, *args, **folded)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Let in who may ask, and refuse by name what the operation does not declare."""
        super().initial(request, *args, **kwargs)
        limited_refuse(request, kwargs.get("catalog"), serves=self.serves_limited_tokens)
        nul_refuse(kwargs.values(), request.query_params)
        method = (request.method or "").lower()
        handler = getattr(type(self), "get" if method == "head" else method, None)
        if handler is None:
            return
        query_refuse(handler, request.query_params)
        if method not in ("get", "head") and not takes_body(handler):
            body_refuse(request)

    def get_throttles(self) -> list[Any]:
        """Kept, so that the answer can say what each has left."""
        self._asked_throttles = super().get_throttles()
        return self._asked_throttles

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """The answer, with what is left of the person's requests in this minute."""
        response = super().finalize_response(request, response, *args, **kwargs)
        for throttle in getattr(self, "_asked_throttles", ()):
            for name, value in throttle.headers.items():
                response[name] = value
        return response

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return exception_response


def scopes_of(request: Request) -> Scopes | None:
    """What the token of the request may be used for; None where a browser's session was sent."""
    token = request.auth
    return scopes_read(token.scopes) if isinstance(token, AccessToken) else None


def limited_refuse(request: Request, catalog: str | None, *, serves: bool = False) -> None:
    """Raises NotFound where the request's token is limited to other catalogs than that of the address. Raises
    PermissionDenied where the address is of no one catalog and does not look at the limit.
    """
    if catalogs_of(scopes_of(request)) is None:
        return
    if catalog is not None:
        catalog_reach(principal_of(request), catalog)
    elif not serves:
        raise PermissionDenied(
            "This token is limited to some catalogs, and this address is of more than one.",
            remedy="Use an address below /api/v1/catalogs/, or a token without that limit.",
        )


def principal_of(request: Request) -> Principal:
    """Who asks, as far as rights go; the permission of every view refuses who is not signed in."""
    user = request.user
    return Principal(user.pk, user.get_username(), user.is_superuser, scopes_of(request), user.is_staff)


def session_of(request: Request, catalog: str | None, branch: str, **details: Any) -> frontdoor.Session:
    """The session in which a statement of this request runs."""
    return frontdoor.Session(catalog, branch, request.user, scopes=scopes_of(request), **details)


def catalog_of(request: Request, name: str, action: Action = Action.READ) -> Catalog:
    """The catalog of an address. Raises NotFound where it does not exist for whoever asks. Raises PermissionDenied
    where the action takes more than they have, or rows are restricted for them and the view does not keep that.
    """
    view = (request.parser_context or {}).get("view")
    method = "get" if request.method == "HEAD" else str(request.method).lower()
    keeps = method in getattr(view, "keeps_restrictions", ())
    return catalog_for(principal_of(request), name, action, keeps=keeps)


class NewestFirst(CursorPagination):
    """Pages of a list that do not shift while new entries arrive."""

    ordering = ("-created_at", "-pk")
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200

    def decode_cursor(self, request: Request) -> Any:
        """Where the page begins. A cursor that no list gave is a wrong value: the address is there."""
        try:
            return super().decode_cursor(request)
        except NotFound:
            raise InvalidValue("The cursor is not one that this list gave.", remedy="Follow `next`.") from None


def tagged(request: Request, response: Response, *, head: int | None = None) -> Response:
    """The response with an ETag of its content, or 304 if the client has just that.

    The tag of a branch begins with the version of its ``head``.
    """
    tag = _content_tag(response.data, head)
    if response.status_code == 200 and _is_known(request, tag):
        response = Response(status=304)
    return _with_tag(response, tag)


def unchanged(request: Request, data: Any, *, head: int | None = None) -> None:
    """Raises Stale if the request names, by If-Match, another content than ``data``, the resource as it is now; of a
    branch with its ``head``.
    """
    _require_tag(request, lambda: _content_tag(data, head))


def head_unchanged(request: Request, branch: Branch) -> None:
    """Raises Stale if the request names, by If-Match, what ``head_tagged`` answered at another head."""
    _require_tag(request, lambda: _head_tag(branch, request.get_full_path().partition("?")[0]))


def _require_tag(request: Request, now: Callable[[], str]) -> None:
    wanted = entity_tags(request, "If-Match")
    if wanted and wanted != ["*"] and now() not in wanted:
        raise Stale("It was changed since you read it.", remedy="Read it again, then decide anew.")


def _content_tag(data: Any, head: int | None) -> str:
    return f'"{_digest(data)}"' if head is None else f'"{head}-{_digest(data)}"'


def _digest(data: Any) -> str:
    return hashlib.sha256(JSONRenderer().render(data)).hexdigest()[:32]


def head_tagged(request: Request, branch: Branch, build: Callable[[], Any]) -> Response:
    """What ``build`` answers, for content that only a commit to the branch changes.

    The tag is made of the head and the address, so a client that has the content is answered without building it.
    """
    tag = _head_tag(branch, request.get_full_path())
    response = Response(status=304) if _is_known(request, tag) else Response(build())
    return _with_tag(response, tag)


def _head_tag(branch: Branch, address: str) -> str:
    seen = [branch.pk, branch.head_version, address, settings.SPECTACULAR_SETTINGS["VERSION"]]
    return f'"{branch.head_version}-{hashlib.sha256(repr(seen).encode()).hexdigest()[:32]}"'


def checked(kind: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The query parameters as a serializer of them allows. Raises ValidationError."""
    filters = kind(data=request.query_params)
    filters.is_valid(raise_exception=True)
    return dict(filters.validated_data)


def _is_known(request: Request, tag: str) -> bool:
    known = entity_tags(request, "If-None-Match")
    return tag in known or known == ["*"]


def _with_tag(response: Response, tag: str) -> Response:
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    return response
