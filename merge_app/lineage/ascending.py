"""Many numbers in order. ``numpy.unique`` puts them into a set first, which takes far longer than sorting does."""

from __future__ import annotations

import numpy as np

from merge_app.lineage.facts import Ints


def ascending(numbers: Ints) -> Ints:
    """The numbers, each once. Such as are in order are not sorted again, and may be the same array."""
    if (numbers[1:] > numbers[:-1]).all():
        return numbers
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    found: Ints = ordered[is_first]
    return found
