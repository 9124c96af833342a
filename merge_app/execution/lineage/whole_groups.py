"""Groups of files that come or go as they are, and those whose rows are looked at together."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from merge_app.execution.lineage.kept_columns import KeptColumns
from merge_app.lineage.segments import LAYOUT, FileSide, Group, Whose


def _is_new(group: Group, side: FileSide) -> bool:
    """Whether the group is of rows that the source wrote since."""
    written = all(file.stamp.version in side.news and file.stamp.kind not in LAYOUT for file in group.source)
    return written and not (group.target or group.target_gone)


def comes_whole(group: Group, side: FileSide, kept: KeptColumns, is_whole: Callable[[], bool]) -> bool:
    """Whether the group becomes what the source shows. Files without a kept column do not take the place of others."""
    if group.whose is not Whose.SOURCE:
        return False
    return _is_new(group, side) or (not kept.are_lacking(group.source, group.target) and is_whole())


def goes_whole(group: Group, side: FileSide, kept: KeptColumns) -> bool:
    """Whether the target only put rows elsewhere, into files without a kept column: the source's are shown again."""
    is_layout = group.whose is Whose.TARGET and not decides(group, side)
    return is_layout and kept.are_lacking(group.target, group.source)


def decides(group: Group, side: FileSide) -> bool:
    """Whether the target changed rows of the group."""
    return bool(group.target_gone) or any(side.decides(file) for file in group.target)


def together(met: Iterable[Group]) -> Group:
    """One group of all these, whose rows are looked at."""
    found = list(met)
    return Group(
        Whose.ROWS,
        tuple(file for group in found for file in group.source),
        tuple(file for group in found for file in group.target),
        tuple(item for group in found for item in group.source_gone),
        tuple(item for group in found for item in group.target_gone),
    )
