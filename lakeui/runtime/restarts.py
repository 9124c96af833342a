"""When a part that ended by itself starts again: after a growing delay, and not for ever."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 15.0
WINDOW_SECONDS = 300.0
MOST_ENDS = 6


@dataclass(slots=True)
class RestartPolicy:
    """The ends of each part within the window; times are seconds of one clock that never runs backwards."""

    _ends: dict[str, deque[float]] = field(default_factory=dict)

    def delay(self, part: str, *, now: float) -> float | None:
        """Record an end of the part. Seconds until it starts again; None where it ended too often."""
        ends = self._ends.setdefault(part, deque())
        while ends and now - ends[0] > WINDOW_SECONDS:
            ends.popleft()
        ends.append(now)
        if len(ends) >= MOST_ENDS:
            return None
        return float(min(FIRST_DELAY_SECONDS * 2 ** (len(ends) - 1), LONGEST_DELAY_SECONDS))
