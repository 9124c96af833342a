"""JSON that PostgreSQL's jsonb can hold."""

from __future__ import annotations

import math
from typing import Any


def storable(value: Any) -> Any:
    """``value`` without what jsonb refuses: the character NUL becomes U+FFFD, NaN and infinities become text."""
    if isinstance(value, str):
        return value.replace("\x00", "\ufffd")
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value
