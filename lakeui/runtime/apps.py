"""Django application: what starts and watches the services."""

from __future__ import annotations

from django.apps import AppConfig


class RuntimeConfig(AppConfig):
    name = "lakeui.runtime"
    verbose_name = "Services"
