"""Every address of the server."""

from django.urls import include, path

urlpatterns = [
    path("", include("lakeui.api.urls")),
    path("", include("lakeui.iceberg.urls")),
    path("", include("lakeui.mcp.urls")),
    path("", include("lakeui.access.urls")),
]

handler400 = "lakeui.api.http.errors.page_bad_request"
handler403 = "lakeui.api.http.errors.page_forbidden"
handler404 = "lakeui.api.http.errors.page_not_found"
handler500 = "lakeui.api.http.errors.page_failed"
