"""What changed since somebody reviewed: the commits that the branches took since."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.models import Branch
from catalog_app.selectors.history import CommitEntry, HistoryFilter, history_list
from catalog_app.selectors.snapshots import branch_snapshot
from merge_app.review.approval_state import review_seen
from merge_app.review.known_plans import branches_now, seen_now
from merge_app.review.models import Review

COMMITS_SHOWN = 100
"""So many commits of each side are listed, the newest."""


@dataclass(frozen=True, slots=True)
class ChangesSince:
    """``source`` and ``destination`` are the commits since the review, newest first; of more only the newest."""

    source: tuple[CommitEntry, ...]
    destination: tuple[CommitEntry, ...]
    rules_changed: bool
    resolutions_changed: bool


def changes_since(review: Review) -> ChangesSince:
    """What the reviewer has not seen."""
    source, destination = branches_now(review.request)
    seen, now = review_seen(review), seen_now(review.request, source, destination)
    return ChangesSince(
        source=_commits(source, seen.source_head),
        destination=_commits(destination, seen.destination_head),
        rules_changed=seen.rules_digest != now.rules_digest,
        resolutions_changed=seen.resolutions_digest != now.resolutions_digest,
    )


def _commits(branch: Branch, seen: int) -> tuple[CommitEntry, ...]:
    newest = history_list(branch_snapshot(branch), HistoryFilter(), limit=COMMITS_SHOWN)
    return tuple(commit for commit in newest if commit.version > seen)
