"""Addresses under /iceberg/. The reference may hold slashes; the shortest that lets an address match is meant."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import include, path, register_converter
from django.views.decorators.csrf import csrf_exempt

from lakeui.api.http.addresses import BranchConverter
from lakeui.common.problem import problem
from lakeui.iceberg import tokens, views
from lakeui.iceberg.errors import error_response

register_converter(BranchConverter, "reference")


@csrf_exempt  # nothing is here that could be done in somebody's name
def unknown_address(request: HttpRequest, rest: str = "") -> HttpResponse:
    """Any address under /iceberg/ that no other route takes."""
    document = problem(
        status=404,
        code="NOT_FOUND",
        title="Not found",
        detail=f"There is no address {request.path}.",
        remedy="A catalog of Iceberg lies at /iceberg/CATALOG/BRANCH, /iceberg/CATALOG/tag:TAG or"
        " /iceberg/CATALOG/version:VERSION.",
    )
    return error_response(document, {"Cache-Control": "no-store"})


_NAMESPACE = "namespaces/<str:namespace>"
_catalog = [
    path("config", views.ConfigView.as_view(), name="iceberg-config"),
    path("oauth/tokens", tokens.TokenView.as_view(), name="iceberg-tokens"),
    path("namespaces", views.NamespaceListView.as_view(), name="iceberg-namespaces"),
    path(_NAMESPACE, views.NamespaceView.as_view(), name="iceberg-namespace"),
    path(f"{_NAMESPACE}/tables", views.TableListView.as_view(), name="iceberg-tables"),
    path(f"{_NAMESPACE}/tables/<str:table>", views.TableView.as_view(), name="iceberg-table"),
    path(f"{_NAMESPACE}/tables/<str:table>/credentials", views.CredentialsView.as_view(), name="iceberg-credentials"),
    path(f"{_NAMESPACE}/views", views.ViewListView.as_view(), name="iceberg-views"),
    path(f"{_NAMESPACE}/views/<str:view>", views.ViewView.as_view(), name="iceberg-view"),
    path("<path:rest>", views.OtherView.as_view(), name="iceberg-other"),
]

urlpatterns = [
    path("iceberg/<str:catalog>/<reference:ref>/v1/", include(_catalog)),
    path("iceberg/<path:rest>", unknown_address),
]
