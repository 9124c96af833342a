"""The name that a person most likely meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_name(name: str, candidates: Iterable[str]) -> str | None:
    """The existing name that is most like the given one, None where none is like it. Case does not count."""
    by_key = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.casefold(), by_key, n=1, cutoff=0.6)
    return by_key[close[0]] if close else None
