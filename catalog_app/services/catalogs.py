"""Create, drop and rename catalogs and branches. Creating a branch writes one row, whatever the catalog holds.

What takes a branch or a protected name away is judged here, by the protection of the branch: ``asked`` says who asks,
``record`` writes an owner's bypass into the audit, in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from catalog_app.domain.agents import Account
from catalog_app.domain.names import name_check
from catalog_app.domain.protection import Change
from catalog_app.domain.roles import Role
from catalog_app.models import Branch, Catalog, CatalogMember, Commit, FileImport
from catalog_app.selectors.agents import account_of, agent_branch_require, agent_expiry_require, agent_latest_expiry
from catalog_app.selectors.branches import parent_now
from catalog_app.selectors.dropped import dropped_named
from catalog_app.selectors.protection import Asked, Bypass, protection_judge
from catalog_app.selectors.rows import row_add, transaction_begin
from catalog_app.selectors.snapshots import branch_snapshot, named, tag_find, version_check
from catalog_app.services.settings import RecordChange, SettingChange, settings_lock
from lakeui.common.errors import AlreadyExists, BranchMoved, InvalidValue, NotFound

MAIN = "main"
MOST_FORMER_NAMES = 20

RecordBypass = Callable[[Branch, Bypass], None]

NO_EXPIRY: dict[str, Any] = {
    "expires_at": None,
    "expiry_set_at": None,
    "expiry_set_by_id": None,
    "expiry_announced_at": None,
}


def merge_conflicts_change(
    *, catalog: Catalog, value: str, record: RecordChange, check: Callable[[Catalog], None] = lambda _: None
) -> Catalog:
    """Set what tables inherit as ``merge.conflicts``. ``check`` sees the catalog as it is and may object."""
    with transaction.atomic():
        settings_lock(catalog)
        catalog.refresh_from_db()
        check(catalog)
        before = catalog.merge_conflicts
        if value != before:
            catalog.merge_conflicts = value
            catalog.save(update_fields=["merge_conflicts"])
            shown = ({"merge_conflicts": item} for item in (before, value))
            record(catalog, SettingChange("catalog", catalog.name, *shown))
    return catalog


def catalog_create(*, name: str, comment: str = "", user_id: int | None = None) -> Catalog:
    """A new catalog with its branch ``main`` and its version sequence. Who makes it is its owner."""
    name_check("catalog", name)
    try:
        with transaction.atomic():
            catalog = Catalog.objects.create(name=name, comment=comment)
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE SEQUENCE catalog_version_{catalog.pk:d}")
            Branch.objects.create(catalog=catalog, name=MAIN, created_by_id=user_id)
            if user_id is not None:
                CatalogMember.objects.create(catalog=catalog, user_id=user_id, role=Role.OWNER.value)
    except IntegrityError:
        raise AlreadyExists("catalog", name) from None
    return catalog


def catalog_drop(*, catalog: Catalog, asked: Asked, record_bypass: RecordBypass, record: RecordChange) -> None:
    """Hide the catalog. Its name is free at once; ``catalog_undrop`` brings it back until its files expire. Raises
    BranchProtected where one of its branches may not be dropped.
    """
    with transaction.atomic():
        for branch in Branch.objects.filter(catalog=catalog, dropped_at__isnull=True, is_workspace=False):
            _judge(branch, Change.DELETION, asked, record_bypass)
        if Catalog.objects.filter(pk=catalog.pk, dropped_at__isnull=True).update(dropped_at=timezone.now()):
            record(catalog, SettingChange("catalog", catalog.name, {"is_dropped": False}, {"is_dropped": True}))


def branch_create(
    *,
    parent: Branch,
    name: str,
    version: int | None = None,
    expires_at: datetime | None = None,
    asked: Asked,
    record: RecordBypass,
) -> Branch:
    """A branch that sees ``parent`` as of ``version`` (its head when None): one row."""
    name_check("branch", name)
    account = _account(asked)
    asked = replace(asked, account=account)
    branch = branch_cut(parent, name=name, version=version, user_id=asked.user_id)
    for field, value in _first_expiry(account, expires_at).items():
        setattr(branch, field, value)
    try:
        # Without a savepoint: a refusal takes the caller's transaction back too.
        with transaction.atomic(savepoint=False):
            # Names after @ are branches or tags; expiry must not overtake a cut into the past.
            catalog_share(parent.catalog_id)
            if version is not None:
                version_check(Branch.objects.get(pk=parent.pk), version)
            name_free_of_tags(parent.catalog, name)
            row_add(branch)
            _judge(branch, Change.NAMING, asked, record)
            if expires_at is not None:
                _judge(branch, Change.DELETION, asked, record)
    except IntegrityError:
        raise AlreadyExists("branch", name, where=f"in catalog {parent.catalog.name}") from None
    return branch


def _account(asked: Asked) -> Account:
    return asked.account or account_of(asked.user_id)


def _first_expiry(account: Account, expires_at: datetime | None) -> dict[str, Any]:
    """The fields of the expiry of a branch that somebody makes or brings back."""
    if expires_at is None:
        expires_at = agent_latest_expiry(account)
    else:
        agent_expiry_require(account, expires_at)
    if expires_at is None:
        return NO_EXPIRY
    return {
        **NO_EXPIRY,
        "expires_at": expires_at,
        "expiry_set_at": timezone.now(),
        "expiry_set_by_id": account.user_id,
    }


def branch_cut(parent: Branch, *, name: str, version: int | None = None, user_id: int | None = None) -> Branch:
    """The row of such a branch, not saved."""
    fork = parent.head_version if version is None else version_check(parent, version)
    chain = branch_snapshot(parent).at(fork)
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
    transaction_begin(f"SELECT 1 FROM catalog_app_catalog WHERE id = {catalog_id:d} FOR KEY SHARE")


def name_free_of_tags(catalog: Catalog, name: str) -> None:
    """Raises AlreadyExists where a tag has the name, which branches and tags share."""
    if tag_find(catalog, name) is not None:
        raise AlreadyExists("tag", name, where=f"in catalog {catalog.name}; branches and tags share their names")


def _commit_at(branch: Branch, version: int) -> int | None:
    chain = branch_snapshot(branch).at(version)
    for branch_id, limit in zip(chain.branch_ids, chain.limits, strict=True):
        commits = Commit.objects.filter(branch_id=branch_id, version__lte=limit).order_by("-version")
        newest = commits.values_list("pk", flat=True).first()
        if newest is not None:
            return int(newest)
    return None


def _judge(branch: Branch, change: Change, asked: Asked, record: RecordBypass, *, name: str | None = None) -> None:
    bypass = protection_judge(branch, change, asked, name=name)
    if bypass is not None:
        record(branch, bypass)


def branch_drop(*, branch: Branch, asked: Asked, record: RecordBypass) -> None:
    """Hide the branch. Branches made from it keep what they saw."""
    _refuse_main(branch, "dropped")
    with transaction.atomic():
        found = _lock(branch)
        _judge(found, Change.DELETION, asked, record)
        Branch.objects.filter(pk=found.pk).update(dropped_at=timezone.now())


def branch_expiry_set(
    *,
    branch: Branch,
    expires_at: datetime | None,
    asked: Asked,
    record_bypass: RecordBypass,
    record: RecordChange,
    check: Callable[[Branch], None] = lambda _: None,
) -> Branch:
    """Have lakeui drop the branch at that time; None: never. Who may drop it may do so. ``check`` sees the branch as it
    is and may object.
    """
    _refuse_main(branch, "dropped")
    with transaction.atomic():
        found = _lock(branch)
        check(found)
        account = _account(asked)
        if expires_at is None:
            agent_branch_require(account, found.name)
        else:
            _judge(found, Change.DELETION, replace(asked, account=account), record_bypass)
        agent_expiry_require(account, expires_at)
        before = found.expires_at
        if before != expires_at:
            fields = NO_EXPIRY if expires_at is None else _first_expiry(account, expires_at)
            Branch.objects.filter(pk=found.pk).update(**fields)
            shown = ({"expires_at": item.isoformat() if item else None} for item in (before, expires_at))
            record(found.catalog, SettingChange("branch", found.name, *shown))
    found.refresh_from_db()
    return found


def _lock(branch: Branch) -> Branch:
    """The branch under the lock that its commits take: its name stays until the transaction ends. Raises NotFound where
    it was dropped or renamed meanwhile.
    """
    locked = Branch.objects.select_for_update(of=("self",), no_key=True).select_related("catalog")
    found = locked.filter(pk=branch.pk, name=branch.name, dropped_at__isnull=True).first()
    if found is None:
        raise NotFound("branch", branch.name, where=f"in catalog {branch.catalog.name} any more")
    return found


def branch_undrop(
    *,
    catalog: Catalog,
    name: str,
    branch_id: str | None = None,
    new_name: str | None = None,
    asked: Asked,
    record: RecordBypass,
) -> Branch:
    """Bring back the branch of that name that was dropped last, or the one of that id; ``new_name`` None: as it was."""
    branch = _dropped_get(catalog, name, branch_id)
    wanted = branch.name if new_name is None else new_name
    name_check("branch", wanted)
    account = _account(asked)
    try:
        with transaction.atomic():
            catalog_share(catalog.pk)
            name_free_of_tags(catalog, wanted)
            if wanted != branch.name:
                # An agent brings back no one else's branch by giving it a name of its own.
                agent_branch_require(account, branch.name)
            found = Branch.objects.filter(pk=branch.pk, dropped_at__isnull=False, expired_at__isnull=True)
            named_back = {"name": wanted, "former_names": _former_names(branch, wanted)}
            if not found.update(dropped_at=None, successor=None, **named_back, **_first_expiry(account, None)):
                raise NotFound("dropped branch", name, where=f"in catalog {catalog.name} any more: it has expired")
            _judge(branch, Change.NAMING, replace(asked, account=account), record, name=wanted)
    except IntegrityError:
        raise AlreadyExists(
            "branch", wanted, where=f"in catalog {catalog.name}", remedy="Bring it back under another name: AS name."
        ) from None
    branch.dropped_at, branch.name = None, wanted
    return branch


def _dropped_get(catalog: Catalog, name: str, branch_id: str | None) -> Branch:
    dropped = Branch.objects.filter(catalog=catalog, dropped_at__isnull=False, is_workspace=False)
    return dropped_named(dropped, "dropped branch", name, branch_id, where=f"in catalog {catalog.name}")


def branch_rename(*, branch: Branch, name: str, asked: Asked, record: RecordBypass) -> None:
    _refuse_main(branch, "renamed")
    name_check("branch", name)
    try:
        with transaction.atomic():
            name_free_of_tags(branch.catalog, name)
            found = _lock(branch)
            _judge(found, Change.DELETION, asked, record)
            _judge(found, Change.NAMING, asked, record, name=name)
            Branch.objects.filter(pk=branch.pk).update(name=name, former_names=_former_names(found, name))
    except IntegrityError:
        raise AlreadyExists("branch", name, where=f"in catalog {branch.catalog.name}") from None


def _former_names(branch: Branch, name: str) -> list[str]:
    """What the branch was called before ``name``: each name once, and the last ``MOST_FORMER_NAMES`` of them."""
    names = [was for was in branch.former_names if was not in (branch.name, name)]
    return ([*names, branch.name] if branch.name != name else names)[-MOST_FORMER_NAMES:]


@dataclass(frozen=True, slots=True)
class BranchReset:
    """``before``: the branch that had the name. ``after``: the one that has it now, cut from the head of ``parent``.
    Where ``before`` was such a cut already, both are one.
    """

    before: Branch
    after: Branch
    parent: Branch

    @property
    def is_done(self) -> bool:
        return self.before.pk != self.after.pk


def branch_reset(*, branch: Branch, head: int, asked: Asked, record: RecordBypass) -> BranchReset:
    """Give the name of the branch to a new one that begins at the parent's head, and drop the present one.

    Nothing of the dropped one changes: branches, tags and merges made of it keep what they saw. The name keeps its
    expiry and its waiting uploads. Raises BranchMoved where the branch is not at the version ``head``.
    """
    _refuse_main(branch, "reset")
    with transaction.atomic():
        catalog_share(branch.catalog_id)
        found = _lock_to_reset(branch)
        _judge_reset(found, asked, record)
        if found.head_version != head:
            raise _moved(found, f"it is at version {found.head_version}, not {head}")
        parent = parent_now(found)
        if parent is None or parent.dropped_at is not None:
            gone = parent.name if parent is not None else MAIN
            raise NotFound("branch", gone, where=f"any more, which is the parent of {found.name}")
        if found.parent_id == parent.pk and found.head_version == found.fork_version == parent.head_version:
            return BranchReset(found, found, parent)
        return BranchReset(found, _succeed(found, parent), parent)


def _judge_reset(branch: Branch, asked: Asked, record: RecordBypass) -> None:
    """A reset drops a branch, gives its name, and changes what the name shows; who bypasses several does it once."""
    changes = (Change.WRITE, Change.DELETION, Change.NAMING)
    bypasses = [found for change in changes if (found := protection_judge(branch, change, asked)) is not None]
    if bypasses:
        record(branch, replace(bypasses[0], refused="; ".join(dict.fromkeys(item.refused for item in bypasses))))


def _lock_to_reset(branch: Branch) -> Branch:
    try:
        return _lock(branch)
    except NotFound:
        valid = Branch.objects.filter(catalog_id=branch.catalog_id, dropped_at__isnull=True)
        if named(valid, branch.name).exclude(pk=branch.pk).exists():
            raise _moved(branch, "somebody reset it, or made it anew, meanwhile") from None
        raise


def _moved(branch: Branch, how: str) -> BranchMoved:
    return BranchMoved(
        f"Branch {branch.name} moved: {how}.", remedy="Look at it again, then reset it.", head=branch.head_version
    )


def _succeed(found: Branch, parent: Branch) -> Branch:
    """Drop the locked branch and make the one that takes its name."""
    made = branch_cut(parent, name=found.name, user_id=found.created_by_id)
    for name in ("expires_at", "expiry_set_at", "expiry_set_by_id", "expiry_announced_at"):
        setattr(made, name, getattr(found, name))
    Branch.objects.filter(pk=found.pk).update(dropped_at=timezone.now())
    made.save(force_insert=True)
    # So that one step leads from any of them to the valid one.
    Branch.objects.filter(Q(pk=found.pk) | Q(successor=found)).update(successor=made)
    FileImport.objects.filter(branch=found).update(branch=made)
    return made


def _refuse_main(branch: Branch, what: str) -> None:
    if branch.name == MAIN and branch.parent_id is None:
        raise InvalidValue(f"The branch main cannot be {what}.", remedy="Work on a branch made from it.")
