"""``/api/v1/dropped-catalogs/``: catalogs that can be undropped."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.names import LONGEST_NAME
from catalog_app.domain.quoting import quote_name
from catalog_app.models import Catalog
from catalog_app.selectors.dropped_catalogs import dropped_catalogs
from catalog_app.selectors.people import catalogs_known
from catalog_app.selectors.trash import kept_until
from lakeui.api.http.answers import IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, principal_of, tagged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY
from lakeui.api.http.strict import body_checked
from lakeui.api.sql.resource_writes import AT_ONCE, DRY_RUN, Write, WriteOptions, written
from lakeui.common.errors import NotFound


class DroppedCatalog(serializers.Serializer[Any]):
    """A dropped catalog. Several may have had one name."""

    catalog_id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    comment = serializers.CharField(allow_blank=True)
    dropped_at = serializers.DateTimeField()
    kept_until = serializers.SerializerMethodField(help_text="It can come back until then; its files go afterwards.")

    def get_kept_until(self, catalog: Catalog) -> datetime:
        assert catalog.dropped_at is not None
        return kept_until(catalog.dropped_at)


class CatalogUndrop(WriteOptions):
    name = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=LONGEST_NAME, help_text="Empty: the name that it had."
    )


class CatalogBack(serializers.Serializer[Any]):
    """The name that the catalog has now."""

    catalog = serializers.CharField()


_LIST = inline_serializer("DroppedCatalogList", {"results": DroppedCatalog(many=True)})


class DroppedCatalogListView(ApiView):
    keeps_restrictions = frozenset({"get"})

    @extend_schema(
        operation_id="dropped_catalog_list",
        summary="List dropped catalogs",
        description="Those in which you have a role, the last dropped first.",
        tags=["catalogs"],
        parameters=[IF_NONE_MATCH],
        responses={200: _LIST, **NOT_MODIFIED},
    )
    def get(self, request: Request) -> Response:
        found = dropped_catalogs(catalogs_known(principal_of(request))).order_by("-dropped_at", "-pk")
        return tagged(request, Response({"results": DroppedCatalog(found, many=True).data}))


class DroppedCatalogView(ApiView):
    @extend_schema(
        operation_id="catalog_undrop",
        summary="Bring back a dropped catalog",
        description="As UNDROP CATALOG does, with its branches, tags, tables and merge requests.",
        tags=["catalogs"],
        parameters=[IDEMPOTENCY_KEY],
        request=CatalogUndrop,
        responses={201: CatalogBack, **DRY_RUN, **AT_ONCE, **NOT_FOUND},
    )
    def post(self, request: Request, catalog_id: int) -> HttpResponse:
        wanted = body_checked(CatalogUndrop, request)
        found = dropped_catalogs(catalogs_known(principal_of(request))).filter(pk=catalog_id).first()
        if found is None:
            raise NotFound("dropped catalog", str(catalog_id))
        statement = f"UNDROP CATALOG {quote_name(found.name)} WITH ID '{found.pk}'"
        statement += f" AS {quote_name(wanted['name'])}" if wanted["name"] else ""

        def made(body: dict[str, Any]) -> Response:
            address = reverse("api-catalog", args=[body["catalog"]], request=request)
            return Response({"catalog": body["catalog"]}, status=201, headers={"Location": address})

        return written(request, Write(statement, wanted), made)
