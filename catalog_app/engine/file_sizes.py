"""When the files that a Spark job left are made one."""

from __future__ import annotations

from collections.abc import Sequence

COMBINE_BYTES = 32 * 1024 * 1024
"""Files of one partition value that are larger together than this stay as they are."""
SMALL_BYTES = 8 * 1024 * 1024
"""So do files that are this large on average: to write them again takes longer than to read them apart, which several
tasks can do at once.
"""


def become_one(sizes: Sequence[int]) -> bool:
    """Whether files of these bytes, all of one partition value, are written anew as one."""
    return len(sizes) > 1 and sum(sizes) <= min(COMBINE_BYTES, len(sizes) * SMALL_BYTES)
