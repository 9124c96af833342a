"""The merge base of two branches as a snapshot: what comparisons start from."""

from __future__ import annotations

from catalog_app.models import Branch
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from merge_app.execution.reach import Reach, reach_load


def base_snapshot(there: Snapshot, here: Snapshot, reach: Reach | None = None) -> Snapshot | None:
    """The merge base as the branch that it is on sees it; None without one.

    ``reach`` is what the source reaches, if that is known. A head that got the base by a merge does not have it on its
    own chain.
    """
    shared = _shared(there, here, reach)
    return _snapshot_at(*max(shared)) if shared else None


def _shared(there: Snapshot, here: Snapshot, reach: Reach | None = None) -> list[tuple[int, int]]:
    """Version and branch of the newest commit of each branch that both heads reach."""
    other = reach_load(here)
    reach = reach_load(there) if reach is None else reach
    return [(min(version, other[branch]), branch) for branch, version in reach.items() if branch in other]


def _snapshot_at(version: int, branch: int) -> Snapshot:
    return branch_snapshot(Branch.objects.get(pk=branch)).at(version)
