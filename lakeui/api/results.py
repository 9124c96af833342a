"""Making a kept result, in the request or as a task; both answer the same."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog_app.models import KeptResult
from catalog_app.services.results import result_begin, result_finish
from catalog_app.storage.warehouse import Warehouse
from lakeui import frontdoor
from lakeui.api.serializers import ColumnEntry
from merge_app.jobs.context import Context

KEEPS_RESULT = "keeps_result"
"""The parameter of a task that says that the rows are kept rather than answered."""
UNLIMITED_SECONDS = 7 * 24 * 3600.0
"""How long a result may be made where tasks have no limit; then its files go."""


class ResultAnswer(serializers.ModelSerializer[KeptResult]):
    """A result whose rows can be fetched."""

    url = serializers.SerializerMethodField()
    columns = serializers.SerializerMethodField()
    version = serializers.IntegerField(
        read_only=True, allow_null=True, help_text="Version of the session's branch that was read."
    )
    bytes = serializers.IntegerField(read_only=True, help_text="Of its files.")
    expires_at = serializers.DateTimeField(read_only=True, help_text="Then it is removed.")

    class Meta:
        model = KeptResult
        fields: tuple[str, ...] = (
            "id", "url", "statement", "columns", "row_count", "bytes", "version", "created_at", "expires_at",
        )  # fmt: skip
        read_only_fields: tuple[str, ...] = fields

    def get_url(self, kept: KeptResult) -> str:
        return f"/api/v1/results/{kept.pk}/"

    @extend_schema_field(ColumnEntry(many=True))
    def get_columns(self, kept: KeptResult) -> list[dict[str, str]]:
        return [{"name": name, "type": kind} for name, kind in kept.columns]


def warehouse_now() -> Warehouse:
    return Warehouse(settings.LAKEUI["WAREHOUSE"])


def result_make(statement: str, session: frontdoor.Session, context: Context) -> dict[str, Any]:
    """Run the query and keep its rows; answers the body. What an earlier attempt at the task had made is answered."""
    from lakeui.frontdoor.results import query_keep

    warehouse = warehouse_now()
    user_id = session.user_id
    assert user_id is not None, "a result belongs to a person"
    longest = timedelta(seconds=float(settings.LAKEUI["QUERY_TASK_SECONDS"]) or UNLIMITED_SECONDS)
    identity = context.task_id or uuid4()
    begun = result_begin(identity=identity, user_id=user_id, statement=statement, longest=longest)
    if begun.files is not None:
        return _body(begun)
    folder = warehouse.new_result(begun.pk)
    try:
        kept = query_keep(statement, session, folder, context)
    except BaseException:
        # Another attempt may be at work beside this one: the row stays until it expires.
        warehouse.discard(folder)
        raise
    return _body(result_finish(begun, kept.rows, catalogs=kept.catalogs, version=kept.version, warehouse=warehouse))


def _body(kept: KeptResult) -> dict[str, Any]:
    return dict(ResultAnswer(kept).data)
