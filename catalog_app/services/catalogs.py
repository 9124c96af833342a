"""Create, drop and rename catalogs and branches. Creating a branch writes one row, whatever the catalog holds."""

from __future__ import annotations

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from catalog_app.models import Branch, Catalog, Commit
from catalog_app.selectors.lineage import branch_lineage, version_check
from lakeui.common.errors import AlreadyExists, InvalidValue

MAIN = "main"


def catalog_create(*, name: str, comment: str = "", user_id: int | None = None) -> Catalog:
    """A new catalog with its branch ``main`` and its version sequence."""
    try:
        with transaction.atomic():
            catalog = Catalog.objects.create(name=name, comment=comment)
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE SEQUENCE catalog_version_{catalog.pk:d}")
            Branch.objects.create(catalog=catalog, name=MAIN, created_by_id=user_id)
    except IntegrityError:
        raise AlreadyExists("catalog", name) from None
    return catalog


def catalog_drop(*, catalog: Catalog) -> None:
    """Take the catalog out of sight. Its name is free at once; its files stay until they expire."""
    Catalog.objects.filter(pk=catalog.pk, dropped_at__isnull=True).update(dropped_at=timezone.now())


def branch_create(*, parent: Branch, name: str, version: int | None = None, user_id: int | None = None) -> Branch:
    """A branch that sees ``parent`` as of ``version`` (its head when None): one row."""
    fork = parent.head_version if version is None else version_check(parent, version)
    chain = branch_lineage(parent).at(fork)
    branch = Branch(
        catalog_id=parent.catalog_id,
        name=name,
        parent=parent,
        fork_version=fork,
        head_version=fork,
        head_commit_id=parent.head_commit_id if version is None else _commit_at(parent, fork),
        ancestor_branches=list(chain.branch_ids),
        ancestor_limits=list(chain.limits),
        created_by_id=user_id,
    )
    try:
        with transaction.atomic():
            branch.save(force_insert=True)
    except IntegrityError:
        raise AlreadyExists("branch", name, where=f"in catalog {parent.catalog.name}") from None
    return branch


def _commit_at(branch: Branch, version: int) -> int | None:
    chain = branch_lineage(branch).at(version)
    for branch_id, limit in zip(chain.branch_ids, chain.limits, strict=True):
        commits = Commit.objects.filter(branch_id=branch_id, version__lte=limit).order_by("-version")
        newest = commits.values_list("pk", flat=True).first()
        if newest is not None:
            return int(newest)
    return None


def branch_drop(*, branch: Branch) -> None:
    """Take the branch out of sight. Branches made from it keep what they saw."""
    _refuse_main(branch, "dropped")
    Branch.objects.filter(pk=branch.pk, dropped_at__isnull=True).update(dropped_at=timezone.now())


def branch_rename(*, branch: Branch, name: str) -> None:
    _refuse_main(branch, "renamed")
    try:
        with transaction.atomic():
            Branch.objects.filter(pk=branch.pk).update(name=name)
    except IntegrityError:
        raise AlreadyExists("branch", name, where=f"in catalog {branch.catalog.name}") from None


def _refuse_main(branch: Branch, what: str) -> None:
    if branch.name == MAIN and branch.parent_id is None:
        raise InvalidValue(f"The branch main cannot be {what}.", remedy="Work on a branch made from it.")
