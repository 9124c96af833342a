"""Create, drop and rename catalogs and branches. Creating a branch writes one row, whatever the catalog holds."""

from __future__ import annotations

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from catalog_app.models import Branch, Catalog, Commit, Tag
from catalog_app.selectors.lineage import branch_lineage, named, nearest_name, tag_find, version_check
from catalog_app.selectors.tags import tag_get
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound

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
    branch = branch_cut(parent, name=name, version=version, user_id=user_id)
    try:
        with transaction.atomic():
            # Names after @ are branches or tags; expiry must not overtake a cut into the past.
            catalog_share(parent.catalog_id)
            if version is not None:
                version_check(Branch.objects.get(pk=parent.pk), version)
            _refuse_taken_by_tag(parent.catalog, name)
            branch.save(force_insert=True)
    except IntegrityError:
        raise AlreadyExists("branch", name, where=f"in catalog {parent.catalog.name}") from None
    return branch


def branch_cut(parent: Branch, *, name: str, version: int | None = None, user_id: int | None = None) -> Branch:
    """The row of such a branch, not saved."""
    fork = parent.head_version if version is None else version_check(parent, version)
    chain = branch_lineage(parent).at(fork)
    return Branch(
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


def catalog_share(catalog_id: int) -> None:
    """Hold off expiry until the transaction ends. Commits, which refer to the catalog, do so too."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM catalog_app_catalog WHERE id = %s FOR KEY SHARE", [catalog_id])


def _refuse_taken_by_tag(catalog: Catalog, name: str) -> None:
    if tag_find(catalog, name) is not None:
        raise AlreadyExists("tag", name, where=f"in catalog {catalog.name}; branches and tags share their names")


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


def branch_undrop(*, catalog: Catalog, name: str) -> Branch:
    """Bring back the branch of that name that was dropped last."""
    dropped = Branch.objects.filter(catalog=catalog, dropped_at__isnull=False, is_workspace=False)
    branch = named(dropped, name).order_by("-dropped_at").first()
    if branch is None:
        nearest = nearest_name(name, dropped.values_list("name", flat=True))
        raise NotFound("dropped branch", name, nearest=nearest, where=f"in catalog {catalog.name}")
    try:
        with transaction.atomic():
            catalog_share(catalog.pk)
            _refuse_taken_by_tag(catalog, branch.name)
            found = Branch.objects.filter(pk=branch.pk, dropped_at__isnull=False, expired_at__isnull=True)
            if not found.update(dropped_at=None):
                raise NotFound("dropped branch", name, where=f"in catalog {catalog.name} any more: it has expired")
    except IntegrityError:
        raise AlreadyExists("branch", branch.name, where=f"in catalog {catalog.name}") from None
    branch.dropped_at = None
    return branch


def branch_rename(*, branch: Branch, name: str) -> None:
    _refuse_main(branch, "renamed")
    try:
        with transaction.atomic():
            _refuse_taken_by_tag(branch.catalog, name)
            Branch.objects.filter(pk=branch.pk).update(name=name)
    except IntegrityError:
        raise AlreadyExists("branch", name, where=f"in catalog {branch.catalog.name}") from None


def _refuse_main(branch: Branch, what: str) -> None:
    if branch.name == MAIN and branch.parent_id is None:
        raise InvalidValue(f"The branch main cannot be {what}.", remedy="Work on a branch made from it.")


def tag_create(*, branch: Branch, name: str, version: int | None = None, user_id: int | None = None) -> Tag:
    """Name the branch's ``version`` (its head when None)."""
    valid = Branch.objects.filter(catalog_id=branch.catalog_id, dropped_at__isnull=True)
    if named(valid, name).exists():
        raise AlreadyExists(
            "branch", name, where=f"in catalog {branch.catalog.name}; branches and tags share their names"
        )
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
