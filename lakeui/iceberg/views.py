"""The operations of Iceberg's REST catalog that read, and the refusal of all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http.response import HttpResponseBase
from rest_framework.parsers import JSONParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog_app.domain.names import name_folded
from catalog_app.domain.state import DatabaseState, TableState, comment_of, own_properties
from catalog_app.domain.stores import reader_options
from catalog_app.domain.table_properties import FORMAT_VERSION, FORMATS
from catalog_app.iceberg.views import view_metadata
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.listing import tables_page
from catalog_app.selectors.objects import database_get, databases_list, table_get
from catalog_app.selectors.references import TAG, VERSION, snapshot_of
from catalog_app.selectors.snapshots import Snapshot
from catalog_app.selectors.views import ViewState, views_list
from catalog_app.services.publishing import table_publish
from catalog_app.services.publishing_history import metadata_with_history
from catalog_app.storage.warehouse import Warehouse
from lakeui.access.authentication import BearerAuthentication
from lakeui.api.http.base import catalog_of
from lakeui.api.http.paging import cursor_encoded, keyset_page
from lakeui.api.http.strict import nul_refuse, unknown_name
from lakeui.api.http.throttling import PersonThrottle
from lakeui.common.errors import InvalidValue, NotFound, NotSupported
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import Session
from lakeui.frontdoor.queries.shown_views import view_shown
from lakeui.iceberg.access import NO_STORE, StorageAccess, keys_are_asked, storage_access
from lakeui.iceberg.errors import ReadOnly, iceberg_response
from lakeui.sql.statements import TableName
from merge_app.jobs.context import Context

ENDPOINTS = [
    "GET /v1/{prefix}/namespaces",
    "GET /v1/{prefix}/namespaces/{namespace}",
    "HEAD /v1/{prefix}/namespaces/{namespace}",
    "GET /v1/{prefix}/namespaces/{namespace}/tables",
    "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "GET /v1/{prefix}/namespaces/{namespace}/views",
    "GET /v1/{prefix}/namespaces/{namespace}/views/{view}",
    "HEAD /v1/{prefix}/namespaces/{namespace}/views/{view}",
]
CREDENTIALS = "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials"
"""It is there where a role is lent to readers."""
PAGE_SIZE, LONGEST_PAGE = 100, 1000
_PAGES = frozenset({"pageToken", "pageSize"})


class IcebergView(APIView):
    """A view of the catalog: a token of lakeui, JSON out, Iceberg's ErrorModel for every refusal. ``takes`` are the
    parameters of GET.
    """

    authentication_classes = [BearerAuthentication]
    permission_classes = [IsAuthenticated]
    throttle_classes = [PersonThrottle]
    parser_classes = [JSONParser]
    renderer_classes = [JSONRenderer]
    metadata_class = None
    # Iceberg's own specification describes these operations, and its clients are made from that.
    schema = None
    takes: frozenset[str] = frozenset()

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Names in addresses are looked up in the one form that they are kept in."""
        return super().dispatch(request, *args, **{key: name_folded(str(value)) for key, value in kwargs.items()})

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Let in who may read the catalog; refuse by name what changes something, and unknown parameters."""
        super().initial(request, *args, **kwargs)
        nul_refuse(kwargs.values(), request.query_params)
        self.catalog: Catalog = catalog_of(request, kwargs["catalog"])
        if request.method not in ("GET", "HEAD"):
            raise ReadOnly(
                f"Iceberg's REST catalog of lakeui is read-only: {request.method} {request.path} is refused.",
                remedy="Change tables by SQL statements on a branch (POST /api/v1/sql/), and merge them.",
            )
        self.snapshot: Snapshot = snapshot_of(self.catalog, kwargs["ref"])
        for name, values in request.query_params.lists():
            if name not in self.takes:
                raise unknown_name("parameter", name, self.takes)
            if len(values) > 1:
                raise InvalidValue(f"The parameter {name} is there twice.", remedy="Send it once.", field=name)

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return iceberg_response

    @property
    def reader(self) -> str:
        """How who asks is called where the store keeps a log."""
        return f"lakeui-{self.request.user.pk}"

    def access(self, table: TableState) -> StorageAccess | None:
        """Keys of the store for the table, where some are given."""
        warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
        return storage_access(warehouse, self.catalog, self.snapshot, table, self.reader)

    def database(self, namespace: str) -> DatabaseState:
        return database_get(self.snapshot, namespace)


class ConfigView(IcebergView):
    takes = frozenset({"warehouse"})

    def get(self, request: Request, catalog: str, ref: str) -> Response:
        """No address and no prefix: clients stay at the one that they were given."""
        asked = request.query_params.get("warehouse", "")
        if asked and name_folded(asked).casefold() != self.catalog.name.casefold():
            raise NotFound("warehouse", asked, nearest=self.catalog.name, where="at this address")
        lends = [CREDENTIALS] if settings.LAKEUI["STORE"].reader_role else []
        return Response({"defaults": {}, "overrides": {}, "endpoints": [*ENDPOINTS, *lends]})


class NamespaceListView(IcebergView):
    takes = _PAGES | {"parent"}

    def get(self, request: Request, catalog: str, ref: str) -> Response:
        parent = request.query_params.get("parent", "")
        if parent:
            # A database has no databases inside.
            self.database(parent)
            return _page([], "namespaces", None)
        names = [[database.name] for database in databases_list(self.snapshot)]
        first, size = _asked(request, int)
        start = max(first[0], 0) if first else 0
        shown = names[start:] if size is None else names[start : start + size]
        more = start + len(shown) < len(names)
        return _page(shown, "namespaces", (start + len(shown),) if more else None)


class NamespaceView(IcebergView):
    def get(self, request: Request, catalog: str, ref: str, namespace: str) -> Response:
        database = self.database(namespace)
        comment = comment_of(database)
        properties = own_properties(database) | ({"comment": comment} if comment else {})
        return Response({"namespace": [database.name], "properties": properties})

    def head(self, request: Request, catalog: str, ref: str, namespace: str) -> Response:
        self.database(namespace)
        return Response(status=204)


class TableListView(IcebergView):
    takes = _PAGES

    def get(self, request: Request, catalog: str, ref: str, namespace: str) -> Response:
        database = self.database(namespace)
        after, size = _asked(request, str, int)
        found: list[Any] = []
        while True:
            limit = LONGEST_PAGE if size is None else size
            part = tables_page(self.snapshot, database.database_id, after=after, limit=limit + 1)
            found += part[:limit]
            after = (found[-1].name_key, found[-1].table_id) if len(part) > limit else None
            if size is not None or after is None:
                break
        return _page(_identifiers(database, [entry.name for entry in found]), "identifiers", after)


class TableView(IcebergView):
    takes = frozenset({"snapshots", "referenced-by", FORMAT_VERSION})

    def get(self, request: Request, catalog: str, ref: str, namespace: str, table: str) -> Response:
        """The table. ``format-version`` asks for another version of the format than the table's own property."""
        wanted = request.query_params.get("snapshots", "all")
        if wanted not in ("all", "refs"):
            raise InvalidValue(f"snapshots takes all or refs, not {wanted!r}.", field="snapshots")
        found = table_get(self.snapshot, self.database(namespace), table)
        form = request.query_params.get(FORMAT_VERSION)
        if form is not None and form not in FORMATS:
            raise InvalidValue(f"{FORMAT_VERSION} takes {' or '.join(FORMATS)}, not {form!r}.", field=FORMAT_VERSION)
        warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
        shown = table_publish(warehouse, self.snapshot, found, None if form is None else int(form))
        config = {} if warehouse.is_local else reader_options(warehouse.root, warehouse.options)
        metadata = shown.metadata
        if wanted == "all":
            metadata = metadata_with_history(warehouse, self.snapshot, found, shown)
        answer: dict[str, Any] = {"metadata-location": shown.location, "metadata": metadata, "config": config}
        access = self.access(found) if keys_are_asked(request) else None
        if access is None:
            return Response(answer)
        place = f"v1/namespaces/{quote(namespace, safe='')}/tables/{quote(table, safe='')}/credentials"
        config |= access.options | {"client.refresh-credentials-endpoint": place}
        return Response(answer | {"storage-credentials": access.entries}, headers=NO_STORE)

    def head(self, request: Request, catalog: str, ref: str, namespace: str, table: str) -> Response:
        table_get(self.snapshot, self.database(namespace), table)
        return Response(status=204)


class CredentialsView(IcebergView):
    # Clients name the plan of a scan, of which lakeui makes none.
    takes = frozenset({"planId", "referenced-by"})

    def get(self, request: Request, catalog: str, ref: str, namespace: str, table: str) -> Response:
        """Keys for the files of the table, for engines that read longer than the first ones last."""
        found = table_get(self.snapshot, self.database(namespace), table)
        access = self.access(found)
        if access is None:
            raise NotSupported(
                "No keys of the store are given out for this table.",
                remedy="Read its files by keys of your own. docs/howto/other-engines.md says when there are some.",
            )
        return Response({"storage-credentials": access.entries}, headers=NO_STORE)


class ViewListView(IcebergView):
    takes = _PAGES

    def get(self, request: Request, catalog: str, ref: str, namespace: str) -> Response:
        database = self.database(namespace)
        names = [view.name for view in views_list(self.snapshot, [database.database_id])]
        first, size = _asked(request, int)
        start = max(first[0], 0) if first else 0
        shown = names[start:] if size is None else names[start : start + size]
        following = (start + len(shown),) if start + len(shown) < len(names) else None
        return _page(_identifiers(database, shown), "identifiers", following)


class ViewView(IcebergView):
    takes = frozenset({"referenced-by"})

    def get(self, request: Request, catalog: str, ref: str, namespace: str, view: str) -> Response:
        """The view. No file holds its metadata: this address is where they are read."""
        database, found = self._view(namespace, view)
        location = request.build_absolute_uri(request.path)
        session = Session(self.catalog.name, user=request.user)
        at, version = self._named(ref)
        name = TableName(found.name, database.name, at=at, version=version)
        shown = view_shown(Call(session, Context(), f"loadView {name.database}.{name.table}"), name, location)
        return Response({"metadata-location": location, "metadata": view_metadata(shown), "config": {}})

    def head(self, request: Request, catalog: str, ref: str, namespace: str, view: str) -> Response:
        self._view(namespace, view)
        return Response(status=204)

    def _named(self, ref: str) -> tuple[str, int | None]:
        """The reference as a statement names it behind @ and VERSION AS OF."""
        if ref.startswith(TAG):
            return ref.removeprefix(TAG), None
        branch = Branch.objects.get(pk=self.snapshot.branch_ids[0])
        return branch.name, self.snapshot.version if ref.startswith(VERSION) else None

    def _view(self, namespace: str, name: str) -> tuple[DatabaseState, ViewState]:
        database = self.database(namespace)
        views = views_list(self.snapshot, [database.database_id])
        for found in views:
            if found.name.casefold() == name.casefold():
                return database, found
        nearest = nearest_name(name, [item.name for item in views])
        raise NotFound("view", f"{database.name}.{name}", nearest=nearest)


class OtherView(IcebergView):
    """Everything else under ``v1/``."""

    def get(self, request: Request, catalog: str, ref: str, rest: str) -> Response:
        raise NotFound("resource", f"v1/{rest}", where="in this catalog")


def _asked(request: Request, *kinds: type) -> tuple[Any, int | None]:
    """The key that the page begins behind, and its size; None where all is asked for at once."""
    token, size = request.query_params.get("pageToken"), request.query_params.get("pageSize")
    if token is None and size is None:
        return None, None
    if size is not None and not (size.isascii() and size.isdigit() and 1 <= int(size) <= 10**6):
        raise InvalidValue(f"pageSize takes a number from 1 on, not {size!r}.", field="pageSize")
    limit = min(int(size or PAGE_SIZE), LONGEST_PAGE)
    return keyset_page({"cursor": token or "", "limit": limit}, *kinds).after, limit


def _page(entries: list[Any], name: str, following: tuple[Any, ...] | None) -> Response:
    return Response({name: entries, "next-page-token": cursor_encoded(following) if following else None})


def _identifiers(database: DatabaseState, names: list[str]) -> list[dict[str, Any]]:
    return [{"namespace": [database.name], "name": name} for name in names]
