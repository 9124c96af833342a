"""Files that wait to be imported: each is seen by its uploader alone."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from catalog_app.models import Branch, FileImport
from lakeui.common.errors import NotFound


def imports_list(branch: Branch, *, user_id: int | None) -> QuerySet[FileImport]:
    """The user's imports to a branch that have not expired, newest first."""
    living = FileImport.objects.filter(branch=branch, created_by_id=user_id, expires_at__gt=timezone.now())
    return living.order_by("-created_at", "-pk")


def import_get(branch: Branch, identity: UUID, *, user_id: int | None) -> FileImport:
    """One of them. Raises NotFound, also for what has expired or is another's."""
    found = imports_list(branch, user_id=user_id).filter(pk=identity).first()
    if found is None:
        raise NotFound("import", str(identity), where="of yours on this branch, or it has expired")
    return found
