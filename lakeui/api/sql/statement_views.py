"""``/api/v1/statements/``: the statements that a person ran, for that person alone."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, NewestFirst, checked, principal_of, tagged
from merge_app.queries.history import statement_get, statements_of, statements_remove
from merge_app.queries.models import KeptStatement


class StatementsChosen(serializers.Serializer[Any]):
    catalog = serializers.CharField(required=False, max_length=255, help_text="Only those of this catalog.")
    branch = serializers.CharField(required=False, max_length=255, help_text="Only those of a branch of this name.")
    outcome = serializers.CharField(required=False, max_length=100, help_text="`OK`, or the code of a problem.")
    search = serializers.CharField(required=False, max_length=200, help_text="Text in the statement.")


class StatementFilter(StatementsChosen):
    limit = serializers.IntegerField(required=False, min_value=1, max_value=200, help_text="Entries a page.")
    cursor = serializers.CharField(required=False, max_length=2000, help_text="From `next` or `previous`.")


class KeptStatementAnswer(serializers.ModelSerializer[KeptStatement]):
    """A statement that you ran."""

    catalog = serializers.SerializerMethodField(help_text="Null where none was chosen.")
    text = serializers.CharField(read_only=True, help_text="With its markers; their values are not kept.")
    is_cut = serializers.BooleanField(read_only=True, help_text="Only the beginning of the text is kept.")
    created_at = serializers.DateTimeField(read_only=True, help_text="When it was sent.")
    milliseconds = serializers.IntegerField(
        read_only=True, allow_null=True, help_text="Until its answer, or the end of its task."
    )
    outcome = serializers.SerializerMethodField(
        help_text="`OK`, or the code of the problem; null until the task that runs it ends."
    )
    row_count = serializers.IntegerField(
        read_only=True, allow_null=True, help_text="Rows that it wrote, or that its answer has."
    )
    version = serializers.IntegerField(read_only=True, allow_null=True, help_text="Version that it read or made.")
    task = serializers.UUIDField(source="task_id", read_only=True, allow_null=True, help_text="The task that runs it.")

    class Meta:
        model = KeptStatement
        fields: tuple[str, ...] = (
            "id", "catalog", "branch", "text", "is_cut", "created_at", "milliseconds", "outcome", "row_count",
            "version", "task",
        )  # fmt: skip
        read_only_fields: tuple[str, ...] = fields

    def get_catalog(self, kept: KeptStatement) -> str | None:
        return kept.catalog or None

    def get_outcome(self, kept: KeptStatement) -> str | None:
        return kept.outcome or None


class KeptStatementPage(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = KeptStatementAnswer(many=True)


class StatementListView(ApiView):
    @extend_schema(
        operation_id="statement_list",
        summary="List the statements that you ran",
        description="From the SQL page, this interface and the command line, newest first. No other person sees them."
        " Values of markers are not kept, and neither are statements that may hold a password or a token.",
        tags=["sql"],
        parameters=[StatementFilter, IF_NONE_MATCH],
        responses={200: KeptStatementPage, **NOT_MODIFIED, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        chosen = checked(StatementFilter, request)
        for of_the_page in ("limit", "cursor"):
            chosen.pop(of_the_page, None)
        pages = NewestFirst()
        page = pages.paginate_queryset(statements_of(_user_id(request), **chosen), request, view=self)
        return tagged(request, pages.get_paginated_response(KeptStatementAnswer(page, many=True).data))

    @extend_schema(
        operation_id="statements_delete",
        summary="Delete the statements that you ran",
        description="All, or those that the parameters choose.",
        tags=["sql"],
        parameters=[StatementsChosen],
        responses={204: OpenApiResponse(description="They are gone."), **BAD_REQUEST, **FORBIDDEN},
    )
    def delete(self, request: Request) -> Response:
        found = statements_of(_user_id(request), **checked(StatementsChosen, request))
        statements_remove(principal=principal_of(request), found=found)
        return Response(status=204)


class StatementView(ApiView):
    @extend_schema(
        operation_id="statement_get",
        summary="Look at a statement that you ran",
        tags=["sql"],
        parameters=[IF_NONE_MATCH],
        responses={200: KeptStatementAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, statement_id: int) -> Response:
        return tagged(request, Response(KeptStatementAnswer(statement_get(_user_id(request), statement_id)).data))

    @extend_schema(
        operation_id="statement_delete",
        summary="Delete a statement that you ran",
        tags=["sql"],
        responses={204: OpenApiResponse(description="It is gone."), **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, statement_id: int) -> Response:
        kept = statement_get(_user_id(request), statement_id)
        statements_remove(principal=principal_of(request), found=statements_of(kept.owner_id).filter(pk=kept.pk))
        return Response(status=204)


def _user_id(request: Request) -> int:
    """Who asks; the permission of every view refuses all others."""
    assert request.user.pk is not None
    return int(request.user.pk)
