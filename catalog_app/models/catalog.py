"""Catalogs, branches, commits and what each commit did."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone

from catalog_app.domain.names import OTHER_LETTERS
from catalog_app.domain.table_properties import FILE, GRANULARITIES


class Catalog(models.Model):
    """A lake: branches that share one increasing version sequence (``catalog_version_<id>`` in PostgreSQL).

    ``merge_conflicts``: of tables without the property ``merge.conflicts``. ``versions_of``: the catalog whose
    sequence this one shares since they merged (see ``CatalogJoin``); None: its own.
    """

    name = models.TextField()
    comment = models.TextField(default="")
    created_at = models.DateTimeField(auto_now_add=True)
    dropped_at = models.DateTimeField(null=True)
    merge_conflicts = models.TextField(default=FILE)
    versions_of = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    is_restricted: bool | None = None
    """Whether rows are hidden from who looked it up; None where that was not asked. Not stored."""

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("name"), name="catalog_name_unique", condition=Q(dropped_at__isnull=True)),
            models.CheckConstraint(condition=~Q(name=""), name="catalog_name_given"),
            models.CheckConstraint(
                condition=Q(merge_conflicts__in=GRANULARITIES), name="catalog_merge_conflicts_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class CatalogJoin(models.Model):
    """Two catalogs count versions together after ``version``: no later one is that of two commits. Up to it, a stamp
    of an object is a version of the catalog in which the object was made. Each pair is stored in both orders.
    """

    catalog = models.ForeignKey(Catalog, models.PROTECT, related_name="+")
    other = models.ForeignKey(Catalog, models.PROTECT, related_name="+")
    version = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["catalog", "other"], name="catalog_join_once")]


class Branch(models.Model):
    """A line of commits. Creating one writes this row and nothing else.

    ``ancestor_branches`` and ``ancestor_limits`` are the look-up chain below the branch itself, nearest first: of
    each ancestor, the newest version that shines through (the cut, or a lower cut nearer to the branch).
    ``head_version`` is the version of ``head_commit``; both come from the parent until the first own commit.
    ``oldest_version``: what the branch was at earlier versions has expired. ``is_workspace``: a transaction's own
    branch, which no other session sees. ``expired_at``: dropped so long ago that it cannot be undropped any more.
    ``expires_at``: lakeui drops the valid branch from then on, for ``expiry_set_by``; the mails about it are left at
    ``expiry_announced_at``. ``successor``: the branch to which the last reset of this name gave the name.
    ``former_names``: what it was called before it was renamed, the last name last.
    """

    catalog = models.ForeignKey(Catalog, models.PROTECT, related_name="branches")
    name = models.TextField()
    former_names = ArrayField(models.TextField(), default=list, db_default=[])
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="children")
    fork_version = models.BigIntegerField(default=0)
    head_version = models.BigIntegerField(default=0)
    head_commit = models.ForeignKey("Commit", models.PROTECT, null=True, related_name="+")
    ancestor_branches = ArrayField(models.BigIntegerField(), default=list)
    ancestor_limits = ArrayField(models.BigIntegerField(), default=list)
    oldest_version = models.BigIntegerField(default=0)
    is_workspace = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    dropped_at = models.DateTimeField(null=True)
    expired_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    expiry_set_at = models.DateTimeField(null=True)
    expiry_set_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    expiry_announced_at = models.DateTimeField(null=True)
    successor = models.ForeignKey("self", models.PROTECT, null=True, related_name="predecessors")

    class Meta:
        indexes = [
            models.Index(
                fields=["expires_at"],
                name="branch_expiry",
                condition=Q(expires_at__isnull=False, dropped_at__isnull=True),
            ),
            models.Index(fields=["catalog"], name="branch_other_letters", condition=Q(name__regex=OTHER_LETTERS)),
            models.Index(fields=["catalog"], name="branch_renamed", condition=~Q(former_names=[])),
        ]
        constraints = [
            models.UniqueConstraint(
                F("catalog"), Lower("name"), name="branch_name_unique", condition=Q(dropped_at__isnull=True)
            ),
            models.CheckConstraint(condition=~Q(name=""), name="branch_name_given"),
            models.CheckConstraint(condition=Q(head_version__gte=F("fork_version")), name="branch_head_after_fork"),
            models.CheckConstraint(
                condition=Q(ancestor_branches__len=F("ancestor_limits__len")), name="branch_lineage_paired"
            ),
            models.CheckConstraint(
                condition=Q(parent__isnull=True, ancestor_branches__len=0)
                | Q(parent__isnull=False, ancestor_branches__len__gt=0),
                name="branch_lineage_from_parent",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Tag(models.Model):
    """A name for one version of one branch. What a tag names never expires."""

    catalog = models.ForeignKey(Catalog, models.PROTECT, related_name="tags")
    name = models.TextField()
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="tags")
    version = models.BigIntegerField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(F("catalog"), Lower("name"), name="tag_name_unique"),
            models.CheckConstraint(condition=~Q(name=""), name="tag_name_given"),
        ]
        indexes = [models.Index(fields=["catalog"], name="tag_other_letters", condition=Q(name__regex=OTHER_LETTERS))]

    def __str__(self) -> str:
        return self.name


class TransactionState(models.TextChoices):
    OPEN = "open"
    COMMITTED = "committed"
    ROLLED_BACK = "rolled back"
    EXPIRED = "expired"


class Transaction(models.Model):
    """Several statements that become one commit of ``target``; until then they lie on ``workspace``, a branch cut
    from the target where the transaction began. ``version`` is that of the commit.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.OneToOneField(Branch, models.PROTECT, related_name="+")
    target = models.ForeignKey(Branch, models.PROTECT, related_name="+")
    state = models.TextField(choices=TransactionState, default=TransactionState.OPEN)
    version = models.BigIntegerField(null=True)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    started_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state=TransactionState.COMMITTED) | Q(version__isnull=True), name="transaction_version"
            ),
        ]
        indexes = [models.Index(fields=["used_at"], name="transaction_idle", condition=Q(state=TransactionState.OPEN))]


class BranchReach(models.Model):
    """What a merge made reachable: from ``at_version`` on, ``branch`` reaches ``reached_branch`` up to
    ``reached_version``. With the look-up chain this answers reachability (semantics P6) without walking commits.
    """

    branch = models.ForeignKey(Branch, models.PROTECT, related_name="reaches")
    at_version = models.BigIntegerField()
    reached_branch = models.ForeignKey(Branch, models.PROTECT, related_name="+")
    reached_version = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["branch", "at_version", "reached_branch"], name="branch_reach_once"),
        ]


class Commit(models.Model):
    """One version of one branch. ``merge_parent`` is the source's head for a merge. ``decides``: the commit is news to
    those who do not reach it. A merge that stamped no fact is none (lineage §2). ``message``: what its author says of
    it.
    """

    catalog = models.ForeignKey(Catalog, models.PROTECT, related_name="+")
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="commits")
    version = models.BigIntegerField()
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    merge_parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    operation = models.TextField()
    statement = models.TextField(default="")
    message = models.TextField(default="", db_default="")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    author_name = models.TextField(default="")
    committed_at = models.DateTimeField()
    task_id = models.UUIDField(null=True)
    decides = models.BooleanField(default=True, db_default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["catalog", "version"], name="commit_version_unique"),
            models.UniqueConstraint(fields=["task_id"], name="commit_task_once"),
            models.CheckConstraint(condition=Q(version__gt=0), name="commit_version_positive"),
        ]
        indexes = [
            models.Index(fields=["branch", "-version"], name="commit_branch_version"),
            models.Index(fields=["branch", "-committed_at"], name="commit_branch_time"),
        ]


class CommitRead(models.Model):
    """A table as of a version of a branch, from which the commit's statement made rows of the table ``written``.

    It stays as long as the commit. What a statement reads of the table that it writes is no row of this.
    """

    commit = models.ForeignKey(Commit, models.PROTECT, related_name="reads")
    written = models.ForeignKey("Table", models.PROTECT, related_name="+")
    table = models.ForeignKey("Table", models.PROTECT, related_name="+")
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="+")
    version = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["commit", "written", "table", "branch", "version"], name="commit_read_once"
            ),
            models.CheckConstraint(condition=~Q(written=F("table")), name="commit_read_of_another"),
        ]


class CommitOperation(models.Model):
    """One kind of change to one object in one commit: what the rule tables judge.

    ``origin`` is the operation that this one replays (null: it is no replay), for the drop of a table that a merged
    drop of its database amounts to, the latter; ``origin_branch`` and ``origin_version`` name the commit of the origin,
    or of the operation itself, so that reachability needs no join.
    A transaction's statement has its origin in the workspace, which no branch reaches: its commit is where it begins.
    What lays the source's state over the object, by a decision, comes from the source's head: whoever reaches that has
    it. ``already_done``: the object was as the operation would have left it, so this is no version of the object. What
    the branch said of these attributes before is the other branch's word from here on.
    """

    commit = models.ForeignKey(Commit, models.PROTECT, related_name="operations")
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="+")
    version = models.BigIntegerField()
    object_kind = models.TextField()
    object_id = models.BigIntegerField()
    kind = models.TextField()
    changes = models.JSONField(default=list)
    created = models.JSONField(null=True)
    overwrite = models.JSONField(null=True)
    metrics = models.JSONField(default=dict)
    origin = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    origin_branch = models.ForeignKey(Branch, models.PROTECT, related_name="+")
    origin_version = models.BigIntegerField()
    already_done = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = [
            models.Index(fields=["branch", "version"], name="operation_branch_version"),
            models.Index(fields=["object_kind", "object_id", "branch", "version"], name="operation_object"),
            # Restores are few, and every merge asks for those among all that its branches reach.
            models.Index(
                fields=["branch", "version"],
                condition=Q(metrics__has_key="restored_version"),
                name="operation_restore",
            ),
        ]
