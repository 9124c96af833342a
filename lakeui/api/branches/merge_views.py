"""``/api/v1/catalogs/{catalog}/merges/``, ``…/restores/`` and ``…/undrops/``: what moves whole branches and objects.

Each makes a record of the audit, which ``/api/v1/merges/{id}/`` shows.
"""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.names import LONGEST_NAME
from catalog_app.domain.quoting import quote_name, quote_text
from catalog_app.services.catalogs import MAIN
from lakeui.api.branches.lake_views import MergePages
from lakeui.api.http.answers import BAD_REQUEST, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, catalog_of, checked, tagged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY
from lakeui.api.http.serializers import MergeFilter, MergeSummary
from lakeui.api.http.strict import body_checked
from lakeui.api.sql.resource_writes import (
    AS_TASK,
    DRY_RUN,
    CommitOptions,
    PointInTime,
    Write,
    WriteOptions,
    as_of_written,
    written,
)
from lakeui.api.sql.sql_view import PREFER
from lakeui.common.errors import InvalidValue, SyntaxProblem
from lakeui.sql.cursor import is_stored
from lakeui.sql.decisions import decisions_parsed, decisions_written
from lakeui.sql.statements import ConflictDecision
from merge_app.audit.selectors import audit_list, audit_summaries
from merge_app.planning.merge_plan import Decision, ResolutionPart

MOST_DECISIONS = 500
_OF_TABLES = {"column", "partition", "rows", "row", "cell"}
_COLUMN_PARTS = {"column", "cell"}
_KEYED_PARTS = {"property", "partition", "row", "cell"}


class _Name(serializers.CharField):
    def __init__(self, **given: Any) -> None:
        super().__init__(**{"required": False, "default": "", "max_length": LONGEST_NAME, **given})


class MergeDecision(serializers.Serializer[Any]):
    """What becomes of a conflict of an object or a part of it, as RESOLVE of MERGE BRANCH says it."""

    database = serializers.CharField(max_length=LONGEST_NAME)
    table = _Name(help_text="Without it the decision is about the database.")
    part = serializers.ChoiceField(
        [part.value for part in ResolutionPart], required=False, default=ResolutionPart.OBJECT.value
    )
    column = _Name(help_text="Of a column or a cell.")
    part_key = serializers.CharField(
        required=False,
        default="",
        max_length=10_000,
        help_text="The key of a property; a JSON array of a partition's values, as texts or null; or, for a row or"
        " cell, the key of the row as the comparison gives it.",
    )
    decision = serializers.ChoiceField([decision.value for decision in Decision])
    name = _Name(help_text="Of a rename.")
    value = serializers.CharField(
        required=False,
        default="",
        max_length=100_000,
        help_text="Of `edited` the value as JSON, of `newest` the column whose later value says which row is newer.",
    )


class MergeWanted(CommitOptions):
    """What is to be merged where, and what becomes of conflicts that are known."""

    source = serializers.CharField(max_length=LONGEST_NAME, help_text="Branch.")  # type: ignore[assignment]
    source_catalog = _Name(help_text="Catalog of the source, where it is another one.")
    destination = _Name(default=MAIN, help_text="Branch.")
    decisions = serializers.ListField(child=MergeDecision(), required=False, default=list, max_length=MOST_DECISIONS)
    resolve = serializers.CharField(
        required=False,
        default="",
        max_length=100_000,
        help_text="Decisions as the text between the parentheses of RESOLVE, which a refusal names:"
        " `TABLE flights.flights KEEP BOTH`. They count beside `decisions`.",
    )


class MergeDone(serializers.Serializer[Any]):
    """A merge. `outcome` is `merged`, or `nothing to merge` where the target had everything."""

    merge_id = serializers.UUIDField()
    outcome = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="That it made.")
    fingerprint = serializers.CharField(allow_blank=True, help_text="Of the plan that was carried out.")
    notes = serializers.ListField(child=serializers.DictField())
    merged = serializers.ListField(child=serializers.DictField())


class MergeRehearsed(serializers.Serializer[Any]):
    """What a merge would do, or why it would be refused."""

    merge_id = serializers.UUIDField(help_text="Of the record of the dry run.")
    mergeable = serializers.BooleanField()
    conflicts = serializers.ListField(child=serializers.DictField())
    notes = serializers.ListField(child=serializers.DictField())
    findings = serializers.ListField(child=serializers.DictField())
    plan = serializers.DictField()
    fingerprint = serializers.CharField()


class RecoveryDone(serializers.Serializer[Any]):
    """What was undropped. `outcome` is `restore`, `undrop`, or `nothing to do`."""

    audit_id = serializers.UUIDField()
    outcome = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="That it made; of a branch that is back, its head.")


class RestoreWanted(PointInTime, CommitOptions):
    """What is restored: a merge as one unit, or a branch, a database of it or a table of that."""

    merge_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    branch = _Name(default=MAIN)
    database = _Name()
    table = _Name()


class UndropWanted(WriteOptions):
    """What is undropped: a branch, or a database of it or a table of that."""

    branch = serializers.CharField(max_length=LONGEST_NAME)
    database = _Name()
    table = _Name()
    id = serializers.CharField(
        required=False, default="", max_length=20, help_text="Where several of that name were dropped."
    )
    name = _Name(help_text="That it gets, where its own is taken.")


class CatalogMerges(MergeFilter):
    catalog = None  # type: ignore[assignment]  # the address names it


class CatalogMergeListView(ApiView):
    @extend_schema(
        operation_id="catalog_merge_list",
        summary="List the merges of a catalog",
        description="Newest first, with dry runs and refusals. `status` says what became of each.",
        tags=["merges"],
        parameters=[CatalogMerges, OpenApiParameter("cursor", str, description="From `next`."), IF_NONE_MATCH],
        responses={
            200: inline_serializer(
                "CatalogMergePage",
                {
                    "next": serializers.URLField(allow_null=True),
                    "previous": serializers.URLField(allow_null=True),
                    "results": MergeSummary(many=True),
                },
            ),
            **NOT_MODIFIED,
            **BAD_REQUEST,
            **NOT_FOUND,
        },
    )
    def get(self, request: Request, catalog: str) -> Response:
        filters = checked(CatalogMerges, request)
        filters.pop("limit", None)
        found = catalog_of(request, catalog)
        pages = MergePages()
        page: list[Any] = (
            pages.paginate_queryset(
                audit_list(visible=type(found).objects.filter(pk=found.pk), **filters), request, view=self
            )
            or []
        )
        return tagged(request, pages.get_paginated_response(audit_summaries(page)))

    @extend_schema(
        operation_id="merge_create",
        summary="Merge a branch, or try to",
        description="As MERGE BRANCH does, through the same plan. With `dry_run` 200 whatever was found. A refusal is"
        " 409 with every conflict; a target that lets only merge requests in is 403, with `patterns`.",
        tags=["merges"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=MergeWanted,
        responses={
            201: MergeDone,
            200: OpenApiResponse(MergeRehearsed, description="What its dry run answers."),
            **AS_TASK,
        },
    )
    def post(self, request: Request, catalog: str) -> HttpResponse:
        wanted = body_checked(MergeWanted, request)
        found = catalog_of(request, catalog)
        names = [name for name in (wanted["source_catalog"], wanted["source"]) if name]
        decided = decisions_written([*map(_decision, wanted["decisions"]), *_decisions(wanted["resolve"])])
        source, destination = ".".join(map(quote_name, names)), quote_name(wanted["destination"])
        statement = f"MERGE BRANCH {source} TO {destination} {decided}".rstrip()
        write = Write(statement, wanted, found.name, wanted["destination"])
        response = written(request, write, lambda body: _recorded(request, MergeDone, body, body["merge_id"]))
        if wanted["dry_run"] and isinstance(response, Response) and response.status_code == 200:
            response.data = _members(MergeRehearsed, response.data)
        return response


def _decisions(text: str) -> tuple[ConflictDecision, ...]:
    """The decisions that the text writes. Raises InvalidValue where it writes none, or more than are taken."""
    try:
        found = decisions_parsed(text) if text else ()
    except SyntaxProblem as problem:
        raise InvalidValue(
            f"resolve is not understood: {problem.message}",
            remedy="Write it as a refusal names it: TABLE flights.flights KEEP BOTH.",
            field="resolve",
            nearest=None,
        ) from None
    if len(found) > MOST_DECISIONS:
        raise InvalidValue(
            f"resolve has {len(found)} decisions; at most {MOST_DECISIONS} are taken.",
            remedy="Decide the rest by ROWS, or of the whole table.",
            field="resolve",
            nearest=None,
        )
    return found


def _decision(given: dict[str, Any]) -> ConflictDecision:
    """The decision as the grammar has it. Raises InvalidValue where members do not belong together."""
    part, decision, table = given["part"], given["decision"], given["table"]
    is_keyed, has_column = part in _KEYED_PARTS, part in _COLUMN_PARTS
    wanted = {
        "table": bool(table) if part not in _OF_TABLES else True,
        "column": has_column,
        "part_key": is_keyed,
        "name": decision == Decision.RENAME.value,
        "value": decision in (Decision.NEWEST.value, Decision.EDITED.value),
    }
    for member, is_wanted in wanted.items():
        if bool(given[member]) != is_wanted:
            does = "takes" if is_wanted else "takes no"
            raise InvalidValue(
                f"The decision {decision} about the {part} {does} {member}.",
                remedy=f"Send {member}." if is_wanted else f"Leave {member} out.",
                field=f"decisions.{member}",
                nearest=None,
            )
    if part == ResolutionPart.PARTITION.value:
        _partition_check(given["part_key"])
    label = f"{given['database']}.{table}" if table else given["database"]
    kind = "table" if table else "database"
    return ConflictDecision(
        kind, label, decision, part, given["part_key"], given["column"], given["name"], given["value"]
    )


def _partition_check(key: str) -> None:
    try:
        values = json.loads(key)
    except ValueError:
        values = None
    is_list = isinstance(values, list) and bool(values) and all(v is None or isinstance(v, str) for v in values)
    if not is_list or any(v is not None and not is_stored(v) for v in values):
        raise InvalidValue(
            "The part_key of a partition is a JSON array of texts and null.",
            remedy='Write it as ["2013",null].',
            field="decisions.part_key",
            nearest=None,
        )


class RestoreListView(ApiView):
    @extend_schema(
        operation_id="restore_create",
        summary="Restore a branch, database or table to a version, or revert a merge",
        description="As RESTORE does. It is a commit of its own: no history is lost.",
        tags=["merges"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=RestoreWanted,
        responses={201: RecoveryDone, **DRY_RUN, **AS_TASK},
    )
    def post(self, request: Request, catalog: str) -> HttpResponse:
        wanted = body_checked(RestoreWanted, request)
        found = catalog_of(request, catalog)
        write = Write(_restore_written(wanted), wanted, found.name, wanted["branch"])
        return written(request, write, lambda body: _recorded(request, RecoveryDone, body, body["audit_id"]))


def _restore_written(wanted: dict[str, Any]) -> str:
    if wanted["merge_id"] is None:
        return f"RESTORE {_thing_written(wanted)} TO {as_of_written(wanted, is_required=True)}"
    for member in ("database", "table", "version", "timestamp"):
        if wanted[member] not in ("", None):
            raise InvalidValue(
                f"A merge is taken back as one unit, so it takes no {member}.",
                remedy=f"Leave merge_id or {member} out.",
                field=member,
                nearest=None,
            )
    return f"RESTORE MERGE {quote_text(str(wanted['merge_id']))}"


class UndropListView(ApiView):
    @extend_schema(
        operation_id="undrop_create",
        summary="Bring back a branch, database or table that was dropped",
        description="As UNDROP does.",
        tags=["merges"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=UndropWanted,
        responses={201: RecoveryDone, **DRY_RUN, **AS_TASK},
    )
    def post(self, request: Request, catalog: str) -> HttpResponse:
        wanted = body_checked(UndropWanted, request)
        found = catalog_of(request, catalog)
        is_branch = not wanted["database"] and not wanted["table"]
        statement = f"UNDROP {_thing_written(wanted)}"
        statement += f" WITH ID {quote_text(wanted['id'])}" if wanted["id"] else ""
        statement += f" AS {quote_name(wanted['name'])}" if wanted["name"] else ""
        write = Write(statement, wanted, found.name, MAIN if is_branch else wanted["branch"])
        return written(request, write, lambda body: _undropped(request, body))


def _undropped(request: Request, body: dict[str, Any]) -> Response:
    return _recorded(request, RecoveryDone, {"outcome": "undrop", **body}, body["audit_id"])


def _thing_written(wanted: dict[str, Any]) -> str:
    """The branch, database or table that the names say, as a statement says it."""
    database, table = wanted["database"], wanted["table"]
    if table and not database:
        raise InvalidValue(
            "A table is named without its database.", remedy="Send database too.", field="database", nearest=None
        )
    if table:
        return f"TABLE {quote_name(database)}.{quote_name(table)}"
    return f"DATABASE {quote_name(database)}" if database else f"BRANCH {quote_name(wanted['branch'])}"


def _recorded(
    request: Request, kind: type[serializers.Serializer[Any]], body: dict[str, Any], audit_id: str
) -> Response:
    """What was made, at the address of its record."""
    address = reverse("api-merge", args=[audit_id], request=request)
    return Response(_members(kind, body), status=201, headers={"Location": address})


def _members(kind: type[serializers.Serializer[Any]], body: dict[str, Any]) -> dict[str, Any]:
    """The described members of a statement's body: the table that says the same again is left out."""
    return {name: body[name] for name, _ in kind().fields.items()}
