"""Who has which role in a catalog, and what its branches are protected from."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from catalog_app.domain.roles import Role
from catalog_app.models.catalog import Catalog

ROLES = [(role.value, role.value) for role in Role]


class CatalogMember(models.Model):
    """Somebody's role in a catalog. Without one, the catalog does not exist for them."""

    catalog = models.ForeignKey(Catalog, models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    role = models.TextField(choices=ROLES)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["catalog", "user"], name="member_once"),
            models.CheckConstraint(condition=Q(role__in=[role.value for role in Role]), name="member_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.catalog}"


class GroupRole(models.Model):
    """The role of a group in a catalog. Each member of the group has at least this role.

    A group that has a role is not deleted, so that no role ends without a record.
    """

    catalog = models.ForeignKey(Catalog, models.CASCADE, related_name="group_roles")
    group = models.ForeignKey("auth.Group", models.PROTECT, related_name="catalog_roles")
    role = models.TextField(choices=ROLES)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["catalog", "group"], name="group_role_once"),
            models.CheckConstraint(condition=Q(role__in=[role.value for role in Role]), name="group_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.group} is {self.role} of {self.catalog}"


class ProtectionRule(models.Model):
    """What branches whose name is of ``pattern`` are protected from; ``domain.protection`` says what each field means.

    Where several patterns match a name, the strictest of each field holds. ``policies`` are documents of
    ``domain.policies``, ``owners`` those of ``domain.owners``, in order. ``policies_by`` set the policies last, and
    answers for what they merge. ``version`` counts the changes of the rule.
    """

    catalog = models.ForeignKey(Catalog, models.CASCADE, related_name="protection_rules")
    pattern = models.TextField()
    required_approvals = models.PositiveSmallIntegerField(default=1)
    required_checks = ArrayField(models.TextField(), default=list)
    required_statuses = ArrayField(models.TextField(), default=list)
    merge_role = models.TextField(choices=ROLES, default=Role.MAINTAINER.value)
    refuse_direct_writes = models.BooleanField(default=True)
    refuse_direct_merges = models.BooleanField(default=True)
    refuse_deletion = models.BooleanField(default=True)
    refuse_stale_reads = models.BooleanField(default=False)
    allow_queue_unchanged = models.BooleanField(default=True)
    allow_bypass = models.BooleanField(default=True)
    policies = models.JSONField(default=list)
    owners = models.JSONField(default=list)
    require_owner_approval = models.BooleanField(default=False)
    policies_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    version = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(F("catalog"), Lower("pattern"), name="protection_pattern_unique"),
            models.CheckConstraint(condition=~Q(pattern=""), name="protection_pattern_given"),
            models.CheckConstraint(
                condition=Q(merge_role__in=[role.value for role in Role]), name="protection_role_known"
            ),
        ]

    def __str__(self) -> str:
        return self.pattern


class Restriction(models.Model):
    """Rows and columns of a table that a role and those below it, or a group, do not see (``domain.restrictions``).

    ``table_name``: what the table was called, for people. A group that is restricted is not deleted.
    """

    catalog = models.ForeignKey(Catalog, models.CASCADE, related_name="+")
    table_id = models.BigIntegerField()
    table_name = models.TextField()
    role = models.TextField(default="", choices=ROLES)
    group = models.ForeignKey("auth.Group", models.PROTECT, null=True, related_name="+")
    row_filter = models.TextField(default="")
    masks = models.JSONField(default=list)
    names = models.JSONField(default=dict)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["catalog", "table_id", "role"], name="restriction_of_role_once", condition=Q(group=None)
            ),
            models.UniqueConstraint(fields=["catalog", "table_id", "group"], name="restriction_of_group_once"),
            models.CheckConstraint(
                condition=Q(role__in=[role.value for role in Role if role is not Role.OWNER], group=None)
                | Q(role="", group__isnull=False),
                name="restriction_of_role_or_group",
            ),
            models.CheckConstraint(condition=~Q(row_filter="", masks=[]), name="restriction_hides_something"),
        ]

    def __str__(self) -> str:
        return f"{self.table_name} for {self.role or self.group}"


class Agent(models.Model):
    """What makes an account an agent: a program that a person answers for, held by ``domain.agents``."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="agent")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    model = models.TextField(default="")
    purpose = models.TextField()
    tables = ArrayField(models.TextField(), default=list)
    statements = ArrayField(models.TextField(), default=list)
    writes_per_hour = models.PositiveIntegerField(null=True)
    rows_per_hour = models.PositiveBigIntegerField(null=True)
    branch_days = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(user=F("owner")), name="agent_has_an_owner"),
            models.CheckConstraint(condition=~Q(purpose=""), name="agent_purpose_given"),
        ]

    def __str__(self) -> str:
        return self.user.get_username()
