"""Rename catalogs and bring dropped ones back."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from catalog_app.domain.names import name_check
from catalog_app.models import Catalog
from catalog_app.selectors.dropped_catalogs import is_expired
from catalog_app.services.settings import RecordChange, SettingChange, settings_lock
from lakeui.common.errors import AlreadyExists, NotFound


def catalog_rename(*, catalog: Catalog, name: str, record: RecordChange) -> Catalog:
    """Give the catalog another name: in addresses, statements and tokens' texts the old one names nothing then."""
    name_check("catalog", name)
    try:
        with transaction.atomic():
            settings_lock(catalog)
            found = Catalog.objects.filter(pk=catalog.pk, name=catalog.name, dropped_at__isnull=True)
            if not found.update(name=name):
                raise NotFound("catalog", catalog.name, where="any more")
            record(catalog, SettingChange("catalog", name, {"name": catalog.name}, {"name": name}))
    except IntegrityError:
        raise AlreadyExists("catalog", name) from None
    catalog.name = name
    return catalog


def catalog_undrop(*, catalog: Catalog, name: str | None, record: RecordChange) -> Catalog:
    """Bring back the dropped catalog with all that it held; ``name`` None: as it was. Raises NotFound where its files
    have expired.
    """
    wanted = catalog.name if name is None else name
    name_check("catalog", wanted)
    try:
        with transaction.atomic():
            settings_lock(catalog)
            found = Catalog.objects.filter(pk=catalog.pk, dropped_at__isnull=False)
            if is_expired(catalog) or not found.update(dropped_at=None, name=wanted):
                raise NotFound("dropped catalog", catalog.name, where="any more: it has expired, or is back")
            record(catalog, SettingChange("catalog", wanted, {"is_dropped": True}, {"is_dropped": False}))
    except IntegrityError:
        raise AlreadyExists(
            "catalog", wanted, remedy="Bring it back under another name: UNDROP CATALOG .. AS name."
        ) from None
    catalog.name, catalog.dropped_at = wanted, None
    return catalog
