"""Patterns of SHOW .. LIKE: a star stands for any text, a bar parts patterns; letters match without case."""

from __future__ import annotations

import re


def is_like(name: str, pattern: str | None) -> bool:
    """Whether one of the patterns is the whole name; without a pattern every name is."""
    if pattern is None:
        return True
    parts = (part.strip() for part in pattern.split("|"))
    return any(
        re.fullmatch(".*".join(map(re.escape, part.split("*"))), name, re.IGNORECASE | re.DOTALL) for part in parts
    )
