"""The net of many changes of one table's partitions: first name against last name (semantics P7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import PartitionChange

Placed = tuple[int, PartitionChange]
"""A change with the index of its operation."""


@dataclass(slots=True)
class _Partition:
    """A partition as it is called now: where it came from (None: the side added it) and what led to its name."""

    origin: PartitionValues | None
    steps: list[Placed]


def net_partitions(changes: Iterable[Placed]) -> dict[Placed, list[Placed]]:
    """The net changes, each with the changes that it sums up. A partition dropped and added again stays both: the rows
    that it had are gone.
    """
    present: dict[PartitionValues, _Partition] = {}
    dropped: dict[PartitionValues, list[Placed]] = {}
    for index, change in changes:
        if change.before is None:
            if change.after is not None:
                present.setdefault(change.after, _Partition(None, [(index, change)]))
            continue
        known = present.pop(change.before, None) or _Partition(change.before, [])
        known.steps.append((index, change))
        if change.after is not None:
            present[change.after] = known
        elif known.origin is not None:
            dropped[known.origin] = known.steps
    found = {(steps[-1][0], PartitionChange(values, None)): steps for values, steps in dropped.items()}
    for values, item in present.items():
        if item.origin != values:
            found[item.steps[-1][0], PartitionChange(item.origin, values)] = item.steps
    return found
