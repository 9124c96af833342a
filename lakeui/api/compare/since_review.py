"""Which objects of a request's comparison are not what a reviewer saw: two stored comparisons, entry by entry.

No row is read. An entry has the newest commit of either side that changed its object, so another change is another
entry, also where it brings as many rows as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lakeui.api.compare.comparing import Pair, comparison_read
from lakeui.common.counts import counted
from lakeui.common.errors import NotFound
from merge_app.review.models import MergeRequest, Review
from merge_app.review.since_review import (
    CHANGED,
    COMMITS_SHOWN,
    GONE,
    NEW,
    ChangesSince,
    State,
    changes_since,
    state_now,
    state_seen,
)

NAMES_SHOWN = 3
ObjectId = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ObjectSince:
    """An object that came into the request, is changed otherwise, or is not changed by the request any more."""

    kind: str
    object_id: int
    name: str
    change: str
    by_commit: bool

    @property
    def key(self) -> ObjectId:
        return self.kind, self.object_id


def review_of(request: MergeRequest, review_id: int) -> Review:
    """A review of the request. Raises NotFound."""
    review = (
        Review.objects.filter(request=request, pk=review_id)
        .select_related("request__source", "request__destination")
        .first()
    )
    if review is None:
        raise NotFound("review", str(review_id), where=f"of merge request #{request.number}")
    return review


def changes_shown(review: Review) -> dict[str, Any]:
    """What changed since the review, as ``ChangesAnswer`` describes it."""
    found = changes_since(review)
    objects = _objects_known(review, found)
    return {
        **{name: getattr(found, name) for name in ("source", "destination", "rules_changed", "resolutions_changed")},
        "decisions": [_decision(item.change, item.decision) for item in found.decisions],
        "objects": objects,
        "summary": _summary(review, found, objects),
        "reviewed_at": review.created_at,
    }


def objects_since(review: Review, found: ChangesSince) -> list[ObjectSince]:
    """The objects that are not what the reviewer saw, in the order of the comparison, those that are gone last. Raises
    NotFound where the retention took what they saw.
    """
    then, now = (_entries(state) for state in (state_seen(review), state_now(review)))
    decided = {(item.decision.object_kind.value, item.decision.object_id) for item in found.decisions}
    return list(_differing(then, now, decided))


def _objects_known(review: Review, found: ChangesSince) -> list[ObjectSince] | None:
    try:
        return objects_since(review, found)
    except NotFound:
        return None


def _entries(state: State) -> dict[ObjectId, dict[str, Any]]:
    listed = comparison_read(Pair(state.source, state.destination, state.resolutions))["objects"]
    return {(entry["kind"], entry["object_id"]): entry for entry in listed}


def _differing(
    then: dict[ObjectId, dict[str, Any]], now: dict[ObjectId, dict[str, Any]], decided: set[ObjectId]
) -> Iterator[ObjectSince]:
    for key, entry in now.items():
        before = then.get(key)
        if before is None:
            yield ObjectSince(*key, entry["name"], NEW, by_commit=True)
        elif before != entry or key in decided:
            yield ObjectSince(*key, entry["name"], CHANGED, by_commit=_work(before) != _work(entry))
    for key, entry in then.items():
        if key not in now:
            yield ObjectSince(*key, entry["name"], GONE, by_commit=True)


def _work(entry: dict[str, Any]) -> tuple[Any, ...]:
    """What the branches did to the object, whatever was decided of it."""
    return tuple(entry[name] for name in ("name", "source_ops", "dest_ops", "newest_version"))


def _decision(change: str, decision: Any) -> dict[str, Any]:
    names = ("object_kind", "object_id", "part", "part_key", "decision")
    return {"change": change, **{name: getattr(decision, name) for name in names}}


def _summary(review: Review, found: ChangesSince, objects: list[ObjectSince] | None) -> str:
    """All of it in one sentence."""
    request = review.request
    sides = ((request.source.name, found.source), (request.destination.name, found.destination))
    parts = [_committed(sides, objects)] if found.source or found.destination else []
    for change, verb in ((NEW, "new"), (CHANGED, "changed"), (GONE, "gone")):
        count = sum(item.change == change for item in found.decisions)
        if count:
            parts.append(f"{counted(count, 'decision')} {'is' if count == 1 else 'are'} {verb}")
    if found.rules_changed:
        parts.append("the rules of merging changed")
    return f"{'; '.join(parts) or 'nothing changed'}."


def _committed(sides: Any, objects: list[ObjectSince] | None) -> str:
    made = " and ".join(_commits(name, len(commits)) for name, commits in sides if commits)
    if objects is None:
        return f"{made}; the versions of the review are older than the retention"
    names = [item.name for item in objects if item.by_commit]
    singular = sum(len(commits) for _, commits in sides) == 1
    if not names:
        return f"{made} {'changes' if singular else 'change'} nothing of the request"
    shown = ", ".join(names) if len(names) <= NAMES_SHOWN else counted(len(names), "object")
    return f"{made} {'changes' if singular else 'change'} {shown}"


def _commits(branch: str, count: int) -> str:
    least = "at least " if count == COMMITS_SHOWN else ""
    return f"{least}{counted(count, 'commit')} on {branch}"
