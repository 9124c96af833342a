"""What changed since somebody reviewed: the commits that the branches took since, and the decisions."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass

from django.db.models import Q

from catalog_app.models import Branch
from catalog_app.selectors.history import CommitEntry, HistoryFilter, history_list
from catalog_app.selectors.snapshots import branch_snapshot, version_check
from merge_app.planning.merge_plan import Resolution
from merge_app.review.approval_state import review_seen
from merge_app.review.known_plans import branches_now, heads_merged, resolution_value, resolutions_of, seen_judged
from merge_app.review.models import ConflictResolution, Review

COMMITS_SHOWN = 100
"""So many commits of each side are listed, the newest."""

NEW, CHANGED, GONE = "new", "changed", "gone"
CHANGES = (NEW, CHANGED, GONE)
"""What became of an object or of a decision: it came, it is another, or it is there no more."""


@dataclass(frozen=True, slots=True)
class State:
    """Both branches as they were at one time, and what was decided between them. The rows are never saved."""

    source: Branch
    destination: Branch
    resolutions: tuple[Resolution, ...]


@dataclass(frozen=True, slots=True)
class ChangedDecision:
    """A decision that is not what the reviewer saw; one that is gone is shown as it was."""

    change: str
    decision: Resolution


@dataclass(frozen=True, slots=True)
class ChangesSince:
    """``source`` and ``destination`` are the commits since the review, newest first; of more only the newest."""

    source: tuple[CommitEntry, ...]
    destination: tuple[CommitEntry, ...]
    rules_changed: bool
    resolutions_changed: bool
    decisions: tuple[ChangedDecision, ...]


def changes_since(review: Review) -> ChangesSince:
    """What the reviewer has not seen; of a merged request, of what was merged."""
    source, destination = branches_now(review.request)
    seen, now = review_seen(review), seen_judged(review.request, source, destination)
    source, destination = _at(source, now.source_head), _at(destination, now.destination_head)
    decided = resolutions_of(review.request, source, destination)
    return ChangesSince(
        source=_commits(source, seen.source_head),
        destination=_commits(destination, seen.destination_head),
        rules_changed=seen.rules_digest != now.rules_digest,
        resolutions_changed=seen.resolutions_digest != now.resolutions_digest,
        decisions=_decisions(_decided_then(review), decided),
    )


def state_seen(review: Review) -> State:
    """What the reviewer looked at. Raises NotFound where the retention took one of the versions."""
    source, destination = branches_now(review.request)
    return State(
        _at(source, version_check(source, review.source_head)),
        _at(destination, version_check(destination, review.destination_head)),
        _decided_then(review),
    )


def state_now(review: Review) -> State:
    """What there is to look at now; of a merged request, what was merged."""
    source, destination = heads_merged(review.request) or branches_now(review.request)
    return State(source, destination, resolutions_of(review.request, source, destination))


def _decided_then(review: Review) -> tuple[Resolution, ...]:
    """What held when the review was given: a decision that is replaced or taken back stays, with the time."""
    found = ConflictResolution.objects.filter(
        Q(withdrawn_at__isnull=True) | Q(withdrawn_at__gt=review.created_at),
        request=review.request,
        created_at__lte=review.created_at,
        source_head=review.source_head,
        destination_head=review.destination_head,
    )
    return tuple(resolution_value(row) for row in found.order_by("object_kind", "object_id", "part", "part_key"))


def _at(branch: Branch, version: int) -> Branch:
    """The branch as it was at the version."""
    then = copy(branch)
    then.head_version = version
    return then


def _decisions(then: Iterable[Resolution], now: Iterable[Resolution]) -> tuple[ChangedDecision, ...]:
    before, after = ({_part(item): item for item in items} for items in (then, now))
    came = (
        ChangedDecision(CHANGED if part in before else NEW, item)
        for part, item in after.items()
        if part not in before or _answer(before[part]) != _answer(item)
    )
    return (*came, *(ChangedDecision(GONE, item) for part, item in before.items() if part not in after))


def _part(item: Resolution) -> tuple[object, ...]:
    return item.object_kind, item.object_id, item.part, item.part_key


def _answer(item: Resolution) -> tuple[object, ...]:
    """What was decided, without what that does on the heads of then."""
    return item.decision, item.name, item.value


def _commits(branch: Branch, seen: int) -> tuple[CommitEntry, ...]:
    """The commits behind the version that was seen, up to the branch's head."""
    newest = history_list(branch_snapshot(branch), HistoryFilter(), limit=COMMITS_SHOWN)
    return tuple(commit for commit in newest if commit.version > seen)
