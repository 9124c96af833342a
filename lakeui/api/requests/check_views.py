"""Checks of catalogs, and what they find on merge requests."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.names import LONGEST_NAME
from lakeui.api.http.answers import IF_MATCH, IF_NONE_MATCH, NOT_FINISHED, STALE
from lakeui.api.http.base import ApiView, catalog_of, principal_of, scopes_of, tagged, unchanged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, once, request_digest, task_key
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.serializers import ColumnEntry
from lakeui.api.http.strict import body_checked
from lakeui.api.requests.lookup import addressed_request
from lakeui.api.requests.views import KEY_REUSED, READS, WRITES
from lakeui.api.sql.sql_view import PREFER, task_response
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.entries.dbt_tests import LONGEST_FILE, dbt_tests_read
from lakeui.sql import statements as sql
from lakeui.sql.check_templates import TEMPLATES, parameters_read, query_shown
from lakeui.sql.parse import parse
from lakeui.tasks.merge_requests import CHECK_KIND
from merge_app.jobs.services import task_submit
from merge_app.review.checking import (
    check_change,
    check_create,
    check_get,
    check_remove,
    checks_add,
    checks_standing,
    request_require_checkable,
)
from merge_app.review.models import CHECK_STATES, Check


class CheckAnswer(serializers.Serializer[Any]):
    """An assertion: its query must return no rows. A required one gates every merge request of the catalog. Of a
    template, ``query`` finds the bad rows; ``template`` is empty where the query was written by hand.
    """

    name = serializers.CharField()
    query = serializers.CharField()
    template = serializers.ChoiceField([*TEMPLATES, ""])
    parameters = serializers.DictField()
    is_required = serializers.BooleanField()
    created_by = serializers.CharField(source="created_by.username")
    created_at = serializers.DateTimeField()


class CheckChange(serializers.Serializer[Any]):
    """Either ``query``, or ``template`` with ``parameters``."""

    query = serializers.CharField(max_length=100_000, required=False, help_text="A SELECT, in the target's branch.")
    template = serializers.ChoiceField(list(TEMPLATES), required=False)
    parameters = serializers.DictField(required=False, help_text="Of the template, by name.")
    is_required = serializers.BooleanField(required=False)


class NewCheck(CheckChange):
    """A name, and either ``query``, or ``template`` with ``parameters``."""

    name = serializers.RegexField(r"^[^/]+$", max_length=100)
    is_required = serializers.BooleanField(required=False, default=False)


class CheckResultEntry(serializers.Serializer[Any]):
    """What a run found. ``sample`` holds the first 10 rows; ``problem`` why a broken one could not run. A check of a
    template counts the rows that it looked at, ``rows_seen``, and the bad ones, ``rows_bad``.
    """

    state = serializers.ChoiceField(CHECK_STATES)
    columns = ColumnEntry(many=True)
    sample = serializers.ListField(child=serializers.ListField(child=serializers.JSONField()))
    rows_seen = serializers.IntegerField(allow_null=True)
    rows_bad = serializers.IntegerField(allow_null=True)
    problem = serializers.CharField(allow_blank=True)
    source_head = serializers.IntegerField()
    destination_head = serializers.IntegerField()
    checked_at = serializers.DateTimeField()
    duration_ms = serializers.IntegerField()
    task_id = serializers.UUIDField()


class CheckStandingEntry(serializers.Serializer[Any]):
    """A check with its newest result; one that is not current was found on other heads, or by another query."""

    name = serializers.CharField(source="check.name")
    query = serializers.CharField(source="check.query")
    is_required = serializers.BooleanField(help_text="By the check itself, or by the target's protection.")
    is_current = serializers.BooleanField()
    result = CheckResultEntry(allow_null=True)


_CHECKS = inline_serializer("CheckList", {"results": CheckAnswer(many=True)})
_STANDINGS = inline_serializer("CheckStandingList", {"results": CheckStandingEntry(many=True)})


class CheckListView(ApiView):
    @extend_schema(
        operation_id="check_list",
        summary="List the checks of a catalog",
        tags=["checks"],
        parameters=[IF_NONE_MATCH],
        responses={200: _CHECKS, **READS},
    )
    def get(self, request: Request, catalog: str) -> Response:
        found = Check.objects.filter(catalog=catalog_of(request, catalog)).select_related("created_by").order_by("name")
        return tagged(request, Response({"results": CheckAnswer(found, many=True).data}))

    @extend_schema(
        operation_id="check_create",
        summary="Add a check",
        tags=["checks"],
        parameters=[IDEMPOTENCY_KEY],
        request=NewCheck,
        responses={201: CheckAnswer, **WRITES, **KEY_REUSED},
    )
    def post(self, request: Request, catalog: str) -> Response:
        body = body_checked(NewCheck, request)
        asked = _asked(body, catalog)
        if not asked:
            raise InvalidValue("The check asks nothing.", remedy="Give query, or template with parameters.")

        def create() -> Response:
            found = catalog_of(request, catalog)
            check = check_create(principal=principal_of(request), catalog=found, **body, **asked)
            address = reverse("api-check", args=[found.name, check.name], request=request)
            return Response(CheckAnswer(check).data, status=201, headers={"Location": address})

        return once(request, create)


class DbtTests(serializers.Serializer[Any]):
    """``text``: a ``schema.yml``; its models lie in ``database``."""

    text = serializers.CharField(max_length=LONGEST_FILE, trim_whitespace=False)
    database = serializers.CharField(max_length=LONGEST_NAME)
    is_required = serializers.BooleanField(
        required=False, default=False, help_text="Whether tests of severity error gate every merge request."
    )
    dry_run = serializers.BooleanField(required=False, default=False)


class DbtCheckEntry(serializers.Serializer[Any]):
    """A test that is understood. ``note`` says how the answer may differ from dbt's."""

    name = serializers.CharField()
    template = serializers.ChoiceField(list(TEMPLATES))
    parameters = serializers.DictField()
    query = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    outcome = serializers.ChoiceField(["made", "present", "differs"])


class NotReadEntry(serializers.Serializer[Any]):
    line = serializers.IntegerField()
    test = serializers.CharField()
    reason = serializers.CharField()


class DbtTestsAnswer(serializers.Serializer[Any]):
    """``differs``: there is another check of that name, which stays."""

    dry_run = serializers.BooleanField()
    checks = DbtCheckEntry(many=True)
    not_read = NotReadEntry(many=True, help_text="Tests that make no check, each with its line and the reason.")


class DbtTestsView(ApiView):
    @extend_schema(
        operation_id="check_import",
        summary="Make checks of the tests of a dbt project",
        description="Each test of `schema.yml` that is understood becomes a check. The others are listed, with why.",
        tags=["checks"],
        parameters=[IDEMPOTENCY_KEY],
        request=DbtTests,
        responses={200: DbtTestsAnswer, **WRITES, **KEY_REUSED},
    )
    def post(self, request: Request, catalog: str) -> Response:
        body = body_checked(DbtTests, request)
        found = dbt_tests_read(body["text"], body["database"])
        wanted = [
            {
                "name": check.name,
                "query": check.query,
                "template": check.template,
                "parameters": check.parameters,
                "is_required": body["is_required"] and check.is_error,
            }
            for check in found.checks
        ]

        def add() -> Response:
            added = checks_add(
                principal=principal_of(request),
                catalog=catalog_of(request, catalog),
                wanted=wanted,
                dry_run=body["dry_run"],
            )
            outcomes = {name.lower(): "present" for name in added.present}
            outcomes |= {name.lower(): "differs" for name in added.differing}
            checks = [{**asdict(check), "outcome": outcomes.get(check.name.lower(), "made")} for check in found.checks]
            answer = {"dry_run": body["dry_run"], "checks": checks, "not_read": found.not_read}
            return Response(DbtTestsAnswer(answer).data)

        return once(request, add)


class CheckView(ApiView):
    @extend_schema(
        operation_id="check_get",
        summary="Look at a check",
        tags=["checks"],
        parameters=[IF_NONE_MATCH],
        responses={200: CheckAnswer, **READS},
    )
    def get(self, request: Request, catalog: str, name: str) -> Response:
        return tagged(request, Response(CheckAnswer(check_get(catalog_of(request, catalog), name)).data))

    @extend_schema(
        operation_id="check_change",
        summary="Change a check",
        description="What was found with another query does not count any more.",
        tags=["checks"],
        parameters=[IF_MATCH],
        request=CheckChange,
        responses={200: CheckAnswer, **WRITES, **STALE},
    )
    def patch(self, request: Request, catalog: str, name: str) -> Response:
        body = body_checked(CheckChange, request)
        asked = _asked(body, catalog)
        check = check_get(catalog_of(request, catalog), name)
        unchanged(request, CheckAnswer(check).data)
        changed = check_change(principal=principal_of(request), check=check, changes=body | asked)
        return tagged(request, Response(CheckAnswer(changed).data))

    @extend_schema(
        operation_id="check_remove",
        summary="Remove a check",
        tags=["checks"],
        responses={204: OpenApiResponse(description="It gates nothing any more."), **WRITES},
    )
    def delete(self, request: Request, catalog: str, name: str) -> Response:
        check_remove(principal=principal_of(request), check=check_get(catalog_of(request, catalog), name))
        return Response(status=204)


class RequestCheckView(ApiView):
    @extend_schema(
        operation_id="merge_request_checks",
        summary="What the checks found on a merge request",
        tags=["merge requests"],
        parameters=[IF_NONE_MATCH],
        responses={200: _STANDINGS, **READS},
    )
    def get(self, request: Request, catalog: str, number: int) -> Response:
        found = checks_standing(addressed_request(request, catalog, number))
        return tagged(request, Response({"results": CheckStandingEntry(found, many=True).data}))

    @extend_schema(
        operation_id="merge_request_check",
        summary="Run the checks on a merge request",
        description="On the state that the merge would make of the branches as they are now.",
        tags=["merge requests"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=None,
        responses={
            200: inline_serializer("CheckRun", {"checks": serializers.ListField(child=serializers.DictField())}),
            **NOT_FINISHED,
            **WRITES,
            **KEY_REUSED,
        },
    )
    def post(self, request: Request, catalog: str, number: int) -> HttpResponse:
        preference = read_preference(request.headers.get("Prefer", ""))
        found = addressed_request(request, catalog, number)
        request_require_checkable(principal=principal_of(request), request=found)
        parameters = {"request": found.pk, "number": found.number, "catalog": found.catalog.name}
        key = task_key(request)
        task = task_submit(
            kind=CHECK_KIND,
            parameters=parameters,
            user=request.user,
            idempotency_key=key,
            request_digest=request_digest(request, parameters) if key else "",
            catalog_id=found.catalog_id,
            scopes=scopes_of(request),
        )
        return task_response(task, preference)


def _asked(body: dict[str, Any], catalog: str) -> dict[str, Any]:
    """What the check asks, taken out of the body; nothing where the body says nothing of it."""
    query, template, parameters = (body.pop(name, None) for name in ("query", "template", "parameters"))
    if template is None and parameters is not None:
        raise InvalidValue("There are parameters without a template.", remedy="Give the template too.")
    if template is not None and query is not None:
        raise InvalidValue("A check has a query or a template.", remedy="Leave out one of them.")
    if template is not None:
        read = parameters_read(template, parameters or {})
        query = query_shown(template, read)
        _require_reading(query, catalog)
        return {"query": query, "template": template, "parameters": read}
    if query is None:
        return {}
    _require_reading(query, catalog)
    return {"query": query, "template": "", "parameters": {}}


def _require_reading(query: str, catalog: str) -> None:
    """Raises what the grammar says of a text that is no statement, and InvalidValue for one that is no SELECT. So is
    one that names another catalog: who has the check run may read more than who wrote it.
    """
    statement = parse(query)
    if not isinstance(statement, sql.Select):
        raise InvalidValue("A check is a SELECT that must return no rows.", remedy="Write the rows that must not be.")
    for table in statement.query.tables:
        named = table.name.catalog
        if named is not None and named.casefold() != catalog.casefold():
            raise InvalidValue(
                f"A check reads its own catalog, and this one names {named}.",
                remedy=f"Name tables of {catalog} alone.",
                catalog=named,
            )
