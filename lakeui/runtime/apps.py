"""Django application: what starts and watches the services."""

from __future__ import annotations

from django.apps import AppConfig


class RuntimeConfig(AppConfig):
    name = "lakeui.runtime"
    verbose_name = "Services"

    def ready(self) -> None:
        """Make the Celery application the current one, so that shared tasks ring the right broker."""
        import lakeui.celery  # noqa: F401
