"""``/api/v1/sessions/``: SQL sessions, each of one person."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.names import name_folded
from catalog_app.models import SqlSession
from catalog_app.selectors.objects import database_get
from catalog_app.selectors.snapshots import branch_get, branch_snapshot
from catalog_app.services.catalogs import MAIN
from catalog_app.services.sessions import (
    IDLE_LIMIT,
    MOST_OF_A_PERSON,
    session_end,
    session_get,
    session_open,
    sessions_of,
    transaction_of,
)
from lakeui.api.http.answers import BAD_REQUEST, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, NewestFirst, catalog_of, checked, tagged
from lakeui.api.http.serializers import ProblemDocument
from lakeui.api.http.strict import body_checked
from lakeui.common.errors import InvalidValue

HOURS = int(IDLE_LIMIT.total_seconds() // 3600)
_TOO_MANY: dict[Any, Any] = {(429, "application/problem+json"): ProblemDocument}


class SessionPlace(serializers.Serializer[Any]):
    """Where a new session is."""

    catalog = serializers.CharField(required=False, allow_null=True, default=None, max_length=255)
    branch = serializers.CharField(required=False, default=MAIN, max_length=255)
    database = serializers.CharField(required=False, allow_null=True, default=None, max_length=255)


class SessionQuery(serializers.Serializer[Any]):
    limit = serializers.IntegerField(required=False, min_value=1, max_value=200, help_text="Entries a page.")
    cursor = serializers.CharField(required=False, max_length=2000, help_text="From `next` or `previous`.")


class SessionTransaction(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    state = serializers.ChoiceField(
        ["open", "expired"], help_text="expired: it is rolled back, and the session waits for ROLLBACK."
    )
    started_at = serializers.DateTimeField()
    used_at = serializers.DateTimeField()


class SessionAnswer(serializers.ModelSerializer[SqlSession]):
    """What the session keeps for the next statement."""

    url = serializers.SerializerMethodField()
    catalog = serializers.SerializerMethodField(help_text="Null where none was chosen.")
    database = serializers.SerializerMethodField(help_text="Null where none was chosen.")
    transaction = serializers.SerializerMethodField()
    temporary_views = serializers.DictField(child=serializers.CharField(), help_text="Their queries by name.")
    temporary_functions = serializers.DictField(child=serializers.CharField(), help_text="Their texts by name.")
    partition_overwrite = serializers.ChoiceField(["static", "dynamic"])
    expires_at = serializers.SerializerMethodField()

    class Meta:
        model = SqlSession
        fields: tuple[str, ...] = (
            "id", "url", "catalog", "branch", "database", "temporary_views", "temporary_functions",
            "partition_overwrite", "transaction", "created_at", "used_at", "expires_at",
        )  # fmt: skip
        read_only_fields: tuple[str, ...] = fields

    def get_url(self, kept: SqlSession) -> str:
        return f"/api/v1/sessions/{kept.pk}/"

    def get_catalog(self, kept: SqlSession) -> str | None:
        return kept.catalog or None

    def get_database(self, kept: SqlSession) -> str | None:
        return kept.database or None

    @extend_schema_field(SessionTransaction(allow_null=True))
    def get_transaction(self, kept: SqlSession) -> Any:
        held = transaction_of(kept)
        return None if held is None else SessionTransaction(held).data

    @extend_schema_field(serializers.DateTimeField(help_text="When it ends if no statement uses it."))
    def get_expires_at(self, kept: SqlSession) -> str:
        return serializers.DateTimeField().to_representation(kept.used_at + IDLE_LIMIT)


class SessionPage(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = SessionAnswer(many=True)


class SessionListView(ApiView):
    @extend_schema(
        operation_id="session_list",
        summary="List your SQL sessions",
        description="Those that have not ended, newest first.",
        tags=["sql"],
        parameters=[SessionQuery, IF_NONE_MATCH],
        responses={200: SessionPage, **NOT_MODIFIED, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        checked(SessionQuery, request)
        pages = NewestFirst()
        page = pages.paginate_queryset(sessions_of(_user_id(request)), request, view=self)
        return tagged(request, pages.get_paginated_response(SessionAnswer(page, many=True).data))

    @extend_schema(
        operation_id="session_open",
        summary="Open an SQL session",
        description="Statements and scripts that name it by `session` run where it is, with its temporary views,"
        " settings and transaction, and change these for those behind them."
        f" It ends by itself when it is not used for {HOURS} hours. One person may have {MOST_OF_A_PERSON}.",
        tags=["sql"],
        request=SessionPlace,
        responses={201: SessionAnswer, **BAD_REQUEST, **NOT_FOUND, **_TOO_MANY},
    )
    def post(self, request: Request) -> Response:
        place = body_checked(SessionPlace, request)
        found = _place(request, place)
        kept = session_open(user_id=_user_id(request), **found)
        answer = SessionAnswer(kept).data
        return Response(answer, status=201, headers={"Location": answer["url"], "Cache-Control": "no-store"})


class SessionView(ApiView):
    @extend_schema(
        operation_id="session_get",
        summary="Where an SQL session is",
        tags=["sql"],
        parameters=[IF_NONE_MATCH],
        responses={200: SessionAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        kept = session_get(identity=session_id, user_id=_user_id(request))
        return tagged(request, Response(SessionAnswer(kept).data))

    @extend_schema(
        operation_id="session_end",
        summary="End an SQL session",
        description="An open transaction of it is rolled back.",
        tags=["sql"],
        responses={204: OpenApiResponse(description="It is no more."), **NOT_FOUND},
    )
    def delete(self, request: Request, session_id: UUID) -> Response:
        session_end(session_get(identity=session_id, user_id=_user_id(request)))
        return Response(status=204)


def _place(request: Request, place: dict[str, Any]) -> dict[str, str]:
    """The place under the names that it has. Raises NotFound where the person sees none of that name."""
    if place["catalog"] is None:
        if place["branch"] != MAIN or place["database"] is not None:
            raise InvalidValue("A branch and a database are of a catalog.", remedy="Say catalog too.", field="catalog")
        return {"catalog": "", "branch": MAIN, "database_name": ""}
    catalog = catalog_of(request, name_folded(place["catalog"]))
    branch = branch_get(catalog, name_folded(place["branch"]))
    database = ""
    if place["database"] is not None:
        database = database_get(branch_snapshot(branch), name_folded(place["database"])).name
    return {"catalog": catalog.name, "branch": branch.name, "database_name": database}


def _user_id(request: Request) -> int:
    """Who asks; the permission of every view refuses all others."""
    assert request.user.pk is not None
    return int(request.user.pk)
