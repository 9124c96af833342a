"""Django application: what exists in a lake."""

from django.apps import AppConfig


class CatalogAppConfig(AppConfig):
    name = "catalog_app"
    verbose_name = "Catalogs"
