"""Catalogs, branches, commits and what each commit did."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower


class Catalog(models.Model):
    """A lake: branches that share one increasing version sequence (``catalog_version_<id>`` in PostgreSQL)."""

    name = models.TextField()
    comment = models.TextField(default="")
    created_at = models.DateTimeField(auto_now_add=True)
    dropped_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("name"), name="catalog_name_unique", condition=Q(dropped_at__isnull=True)),
            models.CheckConstraint(condition=~Q(name=""), name="catalog_name_given"),
        ]

    def __str__(self) -> str:
        return self.name


class Branch(models.Model):
    """A line of commits. Creating one writes this row and nothing else.

    ``ancestor_branches`` and ``ancestor_limits`` are the look-up chain below the branch itself, nearest first: of
    each ancestor, the newest version that shines through (the cut, or a lower cut nearer to the branch).
    ``head_version`` is the version of ``head_commit``; both come from the parent until the first own commit.
    """

    catalog = models.ForeignKey(Catalog, models.PROTECT, related_name="branches")
    name = models.TextField()
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="children")
    fork_version = models.BigIntegerField(default=0)
    head_version = models.BigIntegerField(default=0)
    head_commit = models.ForeignKey("Commit", models.PROTECT, null=True, related_name="+")
    ancestor_branches = ArrayField(models.BigIntegerField(), default=list)
    ancestor_limits = ArrayField(models.BigIntegerField(), default=list)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    dropped_at = models.DateTimeField(null=True)

    class Meta:
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
    """One version of one branch. ``merge_parent`` is the source's head for a merge."""

    catalog = models.ForeignKey(Catalog, models.PROTECT, related_name="+")
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="commits")
    version = models.BigIntegerField()
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    merge_parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    operation = models.TextField()
    statement = models.TextField(default="")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    author_name = models.TextField(default="")
    committed_at = models.DateTimeField()
    task_id = models.UUIDField(null=True)

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


class CommitOperation(models.Model):
    """One kind of change to one object in one commit: what the rule tables judge.

    ``origin`` is the operation that this one replays (null: it is no replay); ``origin_branch`` and
    ``origin_version`` name the commit of the origin, or of the operation itself, so that reachability needs no join.
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

    class Meta:
        indexes = [
            models.Index(fields=["branch", "version"], name="operation_branch_version"),
            models.Index(fields=["object_kind", "object_id", "branch", "version"], name="operation_object"),
        ]
