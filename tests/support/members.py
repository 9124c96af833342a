"""Making people members of catalogs, as tests need it."""

from __future__ import annotations

from django.contrib.auth.models import User

from catalog_app.domain.roles import Role
from catalog_app.models import CatalogMember
from catalog_app.selectors.snapshots import catalog_get


def join(user: User, catalog: str, role: Role = Role.OWNER) -> None:
    """Give the user that role in the catalog, whatever they had there."""
    CatalogMember.objects.update_or_create(catalog=catalog_get(catalog), user=user, defaults={"role": role.value})
