"""Name versions of branches. Branches and tags of a catalog share their names."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from catalog_app.domain.names import name_check
from catalog_app.models import Branch, Catalog, Tag
from catalog_app.selectors.snapshots import named, version_check
from catalog_app.selectors.tags import tag_get
from catalog_app.services.catalogs import catalog_share
from lakeui.common.errors import AlreadyExists


def tag_create(*, branch: Branch, name: str, version: int | None = None, user_id: int | None = None) -> Tag:
    """Name the branch's ``version`` (its head when None)."""
    name_check("tag", name)
    _refuse_taken_by_branch(branch.catalog, name)
    try:
        with transaction.atomic():
            catalog_share(branch.catalog_id)
            fresh = Branch.objects.get(pk=branch.pk)
            wanted = fresh.head_version if version is None else version_check(fresh, version)
            return Tag.objects.create(
                catalog_id=branch.catalog_id, name=name, branch=branch, version=wanted, created_by_id=user_id
            )
    except IntegrityError:
        raise AlreadyExists("tag", name, where=f"in catalog {branch.catalog.name}") from None


def tag_drop(*, catalog: Catalog, name: str) -> None:
    tag_get(catalog, name).delete()


def tag_rename(*, catalog: Catalog, name: str, new_name: str) -> Tag:
    """Give the tag another name; it names the same version."""
    name_check("tag", new_name)
    try:
        with transaction.atomic():
            catalog_share(catalog.pk)
            tag = tag_get(catalog, name)
            _refuse_taken_by_branch(catalog, new_name)
            Tag.objects.filter(pk=tag.pk).update(name=new_name)
    except IntegrityError:
        raise AlreadyExists("tag", new_name, where=f"in catalog {catalog.name}") from None
    tag.name = new_name
    return tag


def _refuse_taken_by_branch(catalog: Catalog, name: str) -> None:
    valid = Branch.objects.filter(catalog=catalog, dropped_at__isnull=True)
    if named(valid, name).exists():
        raise AlreadyExists("branch", name, where=f"in catalog {catalog.name}; branches and tags share their names")
