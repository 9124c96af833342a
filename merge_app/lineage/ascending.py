"""Many numbers as sets: in order, each once. ``unique``, ``isin`` and ``setdiff1d`` of numpy make a hash table or sort
both sides, which takes far longer than a look at their order and a search.
"""

from __future__ import annotations

import numpy as np

from merge_app.lineage.facts import Ints, Mask


def ascending(numbers: Ints) -> Ints:
    """The numbers, each once. Such as are in order are not sorted again, and may be the same array."""
    if (numbers[1:] > numbers[:-1]).all():
        return numbers
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    found: Ints = ordered[is_first]
    return found


def are_among(values: Ints, numbers: Ints) -> Mask:
    """Which of the values are among the numbers, which are sorted where they are not in order."""
    if not len(numbers):
        return np.zeros(len(values), dtype=np.bool_)
    ordered = ascending(numbers)
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.asarray(ordered[place] == values, dtype=np.bool_)


def without(numbers: Ints, others: Ints) -> Ints:
    """The numbers that are not among the others, ascending, each once."""
    ordered = ascending(numbers)
    found: Ints = ordered[~are_among(ordered, others)]
    return found
