"""Names that look like others: letters of other scripts, by Unicode's table of confusables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from confusable_homoglyphs import confusables


def look_alike(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks like the new one and is another, None where there is none. Two names of ASCII letters
    alone, such as ``v1`` and ``vl``, do not count.
    """
    shape = _shape(name)
    for other in known:
        if other.casefold() != name.casefold() and not (other.isascii() and name.isascii()) and _shape(other) == shape:
            return other
    return None


def _shape(name: str) -> str:
    return "".join(map(_looks, name.casefold()))


@cache
def _looks(letter: str) -> str:
    """The first of the letters that look like this one, itself among them."""
    entries = confusables.confusables_data.get(letter, ())
    alike = {entry["c"] for entry in entries if len(entry["c"]) == 1} | {letter}
    return min(alike)
