"""Catalogs, branches and commits as the HTTP interface shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework import serializers

from catalog_app.domain.roles import Role
from catalog_app.models import Branch
from catalog_app.selectors.ahead_behind import Divergence
from catalog_app.selectors.branches import BRANCH_ORDERS, parent_now
from catalog_app.selectors.trash import DroppedObject, kept_until
from lakeui.api.http.paging import PageFilter

PIPELINE_HELP = "Of a run's commit: its pipeline, with the strategy, as `totals (delete_insert)`. Else empty."

# Members called ``source`` or ``parent`` bear names of DRF's own attributes. Its metaclass takes
# declared fields off the class, so nothing is shadowed at run time; mypy does not know.

LONGEST_GRAPH = 1000


class CatalogFilter(PageFilter):
    search = serializers.CharField(required=False, max_length=200, help_text="Text in the name.")


class BranchFilter(CatalogFilter):
    dropped = serializers.BooleanField(required=False, default=False, help_text="Dropped branches instead of valid.")
    order = serializers.ChoiceField(BRANCH_ORDERS, required=False, default="name")


class CommitBrief(serializers.Serializer[Any]):
    """A commit in one line; ``branch`` is where it was made."""

    version = serializers.IntegerField()
    branch = serializers.CharField(source="branch.name")
    time = serializers.DateTimeField(source="committed_at")
    operation = serializers.CharField()
    author = serializers.CharField(source="author_name", allow_blank=True)


class CatalogAnswer(serializers.Serializer[Any]):
    """A catalog. ``commit_count`` counts those of every branch; ``last_commit`` is the newest of any."""

    name = serializers.CharField(source="catalog.name")
    comment = serializers.CharField(source="catalog.comment", allow_blank=True)
    created_at = serializers.DateTimeField(source="catalog.created_at")
    branch_count = serializers.IntegerField()
    commit_count = serializers.IntegerField()
    last_commit = CommitBrief(allow_null=True)


class BranchAnswer(serializers.Serializer[Any]):
    """A branch. ``ahead`` and ``behind`` count commits against the parent's head; null where there is no parent. Where
    the parent was reset, that is the branch which has its name since.

    The context's ``divergences`` hold both, by the ids of branch and parent; its ``waits`` why expired branches stay.
    """

    name = serializers.CharField()
    branch_id = serializers.IntegerField(source="pk")
    parent = serializers.SerializerMethodField()  # type: ignore[assignment]
    fork_version = serializers.IntegerField()
    head_version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    created_by = serializers.SerializerMethodField()
    is_main = serializers.SerializerMethodField()
    is_dropped = serializers.SerializerMethodField()
    dropped_at = serializers.DateTimeField(allow_null=True)
    kept_until = serializers.SerializerMethodField(help_text="UNDROP works until then at least. Null of a valid one.")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="When lakeui drops it. Null: never.")
    expiry_waits_for = serializers.SerializerMethodField(
        help_text="Why a branch that has expired is not dropped yet. Null: nothing."
    )
    last_commit = CommitBrief(source="head_commit", allow_null=True)
    ahead = serializers.SerializerMethodField()
    behind = serializers.SerializerMethodField()

    def get_created_by(self, branch: Branch) -> str:
        return branch.created_by.get_username() if branch.created_by else ""

    def get_is_main(self, branch: Branch) -> bool:
        return branch.parent_id is None

    def get_is_dropped(self, branch: Branch) -> bool:
        return branch.dropped_at is not None

    def get_kept_until(self, branch: Branch) -> datetime | None:
        return kept_until(branch.dropped_at) if branch.dropped_at else None

    def get_expiry_waits_for(self, branch: Branch) -> str | None:
        found: str | None = self.context["waits"].get(branch.pk)
        return found

    def get_parent(self, branch: Branch) -> str | None:
        parent = parent_now(branch)
        return parent.name if parent is not None else None

    def get_ahead(self, branch: Branch) -> int | None:
        found = self._divergence(branch)
        return found.ahead if found else None

    def get_behind(self, branch: Branch) -> int | None:
        found = self._divergence(branch)
        return found.behind if found else None

    def _divergence(self, branch: Branch) -> Divergence | None:
        parent = parent_now(branch)
        found: dict[tuple[int, int], Divergence] = self.context["divergences"]
        return found.get((branch.pk, parent.pk)) if parent is not None else None


class CatalogDetail(CatalogAnswer):
    """A catalog with its branch main, and how much happens in it."""

    role = serializers.ChoiceField([role.value for role in Role], help_text="What you are in it.")
    main = BranchAnswer()
    merge_count = serializers.IntegerField(help_text="Merges that went through.")
    refused_count = serializers.IntegerField(help_text="Merges that were refused.")
    running_task_count = serializers.IntegerField(help_text="Statements on the catalog that wait or run.")


class TableHistoryQuery(PageFilter):
    operation = serializers.CharField(required=False, max_length=100, help_text="As the history names it: INSERT.")
    author = serializers.CharField(required=False, max_length=150, help_text="User name.")
    search = serializers.CharField(required=False, max_length=200, help_text="Text in the statement.")
    version = serializers.IntegerField(required=False, min_value=0, help_text="Look from this version instead of head.")


class HistoryQuery(TableHistoryQuery):
    object = serializers.RegexField(
        r"^(database|table|view):\d{1,18}$", required=False, help_text="Only commits on this object: `table:5`."
    )


class CommitPointEntry(serializers.Serializer[Any]):
    branch = serializers.CharField()
    version = serializers.IntegerField()


class OperationAnswer(serializers.Serializer[Any]):
    """What a commit did to one object."""

    kind = serializers.CharField()
    object_kind = serializers.ChoiceField(["database", "table", "view"])
    object_id = serializers.IntegerField()
    object = serializers.CharField(allow_blank=True, help_text="Full name, as it is on the branch now.")
    metrics = serializers.DictField(child=serializers.IntegerField())


class CommitAnswer(serializers.Serializer[Any]):
    """A commit. ``merge_parent`` is the source's head of a merge; ``rows_changed`` inserted, updated and deleted."""

    version = serializers.IntegerField()
    branch = serializers.CharField(help_text="Where it was made.")
    time = serializers.DateTimeField()
    operation = serializers.CharField()
    author = serializers.CharField(allow_blank=True)
    statement = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True, help_text="What the author says of it.")
    pipeline = serializers.CharField(allow_blank=True, help_text=PIPELINE_HELP)
    task_id = serializers.UUIDField(allow_null=True)
    parent_version = serializers.IntegerField(allow_null=True)
    merge_parent = CommitPointEntry(allow_null=True)
    rows_changed = serializers.IntegerField()
    operations = OperationAnswer(many=True, help_text="The first 100. `operations/` of the version lists all.")
    operation_count = serializers.IntegerField(help_text="All operations of the commit.")


class TrashFilter(PageFilter):
    search = serializers.CharField(required=False, max_length=200, help_text="Text in the full name.")


class DroppedAnswer(serializers.Serializer[Any]):
    """A dropped database or table. `undrops/` brings it back by its id."""

    kind = serializers.ChoiceField(["database", "table"])
    id = serializers.IntegerField(source="object_id")
    database = serializers.CharField()
    table = serializers.CharField(allow_blank=True, help_text="Empty of a database.")
    branch = serializers.CharField(help_text="Where the commit was made that dropped it.")
    version = serializers.IntegerField(help_text="Version of that commit.")
    dropped_at = serializers.DateTimeField()
    author = serializers.CharField(allow_blank=True)
    operation = serializers.CharField()
    statement = serializers.CharField(allow_blank=True)
    kept_until = serializers.SerializerMethodField(help_text="It can come back until then at least.")
    tables = serializers.IntegerField(help_text="Tables that come back with a database.")
    needs_database = serializers.BooleanField(help_text="Its database was dropped too, and comes back first.")
    name_taken = serializers.BooleanField(help_text="Another has its name now: it needs a new one.")

    def get_kept_until(self, entry: DroppedObject) -> datetime:
        return kept_until(entry.dropped_at)


class GraphQuery(serializers.Serializer[Any]):
    before = serializers.IntegerField(required=False, min_value=1, help_text="Only commits older than this version.")
    limit = serializers.IntegerField(required=False, default=200, min_value=1, max_value=LONGEST_GRAPH)


class GraphCommitEntry(serializers.Serializer[Any]):
    """A dot of the graph."""

    version = serializers.IntegerField()
    branch = serializers.CharField()
    branch_id = serializers.IntegerField()
    parent = CommitPointEntry(allow_null=True)
    merge_parent = CommitPointEntry(allow_null=True)
    operation = serializers.CharField()
    object = serializers.CharField(allow_blank=True, help_text="Full name of what it changed, of several the first.")
    object_count = serializers.IntegerField(help_text="How many databases, tables and views it changed.")
    message = serializers.CharField(allow_blank=True, help_text="What the author says of it.")
    pipeline = serializers.CharField(allow_blank=True, help_text=PIPELINE_HELP)
    author = serializers.CharField(allow_blank=True)
    time = serializers.DateTimeField()
    rows_changed = serializers.IntegerField()


class GraphBranchEntry(serializers.Serializer[Any]):
    """A lane of the graph."""

    name = serializers.CharField()
    branch_id = serializers.IntegerField(source="pk")
    parent = serializers.CharField(source="parent.name", allow_null=True, default=None)  # type: ignore[assignment]
    parent_id = serializers.IntegerField(allow_null=True)
    fork_version = serializers.IntegerField()
    head_version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    is_dropped = serializers.SerializerMethodField()

    def get_is_dropped(self, branch: Branch) -> bool:
        return branch.dropped_at is not None


class FailedMergeEntry(serializers.Serializer[Any]):
    """An attempt to merge that wrote nothing; it stands at the target's head of that time."""

    merge_id = serializers.UUIDField()
    source = serializers.CharField()  # type: ignore[assignment]
    destination = serializers.CharField()
    outcome = serializers.CharField()
    source_head = serializers.IntegerField()
    destination_head = serializers.IntegerField()
    time = serializers.DateTimeField(source="recorded_at")
    conflict_count = serializers.IntegerField()


class TagEntry(serializers.Serializer[Any]):
    """A tag at the commit that it names, which an ancestor of its branch may have made."""

    name = serializers.CharField()
    branch = serializers.CharField()
    version = serializers.IntegerField()


class GraphAnswer(serializers.Serializer[Any]):
    """A stretch of the graph: commits newest first, the lanes that it shows, and what failed meanwhile."""

    commits = GraphCommitEntry(many=True)
    branches = GraphBranchEntry(many=True)
    failed_merges = FailedMergeEntry(many=True)
    tags = TagEntry(many=True)
    next_before = serializers.IntegerField(allow_null=True, help_text="`before` of the next stretch; null at the end.")
