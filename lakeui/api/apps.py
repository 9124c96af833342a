"""Django application: the HTTP interface."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "lakeui.api"
    label = "api"
    verbose_name = "HTTP interface"

    def ready(self) -> None:
        """Register the schemes of the OpenAPI document."""
        import lakeui.api.http.openapi  # noqa: F401 - drf-spectacular knows extensions by their import
        from lakeui.common.collector import loading_ends

        # The models of the applications after this one are loaded before any application is made ready.
        loading_ends()
