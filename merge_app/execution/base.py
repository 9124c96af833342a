"""The merge base of two branches as a sight: what comparisons and merges of rows start from."""

from __future__ import annotations

from catalog_app.models import Branch
from catalog_app.selectors.lineage import Lineage, branch_lineage
from merge_app.execution.reach import Reach, reach_load


def base_lineage(there: Lineage, here: Lineage, reach: Reach | None = None) -> Lineage | None:
    """The merge base as the branch that it is on sees it; None without one.

    ``reach`` is what the source reaches, if that is known. A head that got the base by a merge does not have it on its
    own chain.
    """
    other = reach_load(here)
    reach = reach_load(there) if reach is None else reach
    shared = [(min(version, other[branch]), branch) for branch, version in reach.items() if branch in other]
    if not shared:
        return None
    version, branch = max(shared)
    return branch_lineage(Branch.objects.get(pk=branch)).at(version)
