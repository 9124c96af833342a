"""Differences from plain Spark that are meant, and those that are known and still open. Each says why; both are few.

A random history leaves out what an open difference would show in most statements (``Open.leaves_out``). A case that
shows an open difference is reported as expected to fail, with the reasons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """A difference by patterns of its statement and of its text; ``reference`` says where the meaning is decided."""

    statement: str
    difference: str
    reason: str
    reference: str

    def covers(self, statement: str, difference: str) -> bool:
        return bool(
            re.search(self.statement, statement, re.DOTALL) and re.search(self.difference, difference, re.DOTALL)
        )


@dataclass(frozen=True, slots=True)
class Open(Known):
    """``leaves_out`` names what the generator does not make until the fault is mended."""

    leaves_out: frozenset[str] = frozenset()


INTENDED: tuple[Known, ...] = (
    Known(
        r"^UPDATE .* SET x = -0\.0D WHERE",
        r"no version",
        "a row whose new values equal its old ones is not written, and 0.0 equals -0.0",
        "docs/reference/merge-into.md",
    ),
    Known(
        r"^MERGE ",
        r"^Spark refuses: .*\[(CAST_OVERFLOW|EXCEED_LIMIT_LENGTH)",
        "a value that not every row of the source has is judged where a clause takes it; Spark may fold it before that",
        "docs/reference/merge-into.md",
    ),
    Known(
        r"^MERGE .* USING \(SELECT '",
        r"char|string",
        "a MERGE compares a text of its source with a CHAR column as the column would store it",
        "docs/internals/rows-and-files.md",
    ),
    Known(
        r"^(DELETE|UPDATE) .* BETWEEN .* AND (CAST\()?NULL",
        r"^Spark refuses: .*\[CAST_INVALID_INPUT",
        "a NULL bound keeps a condition from being true, so it is not computed; a filter of Spark folds it away too",
        "docs/internals/rows-and-files.md",
    ),
)

OPEN: tuple[Open, ...] = ()


def intended(statement: str, difference: str) -> bool:
    return any(known.covers(statement, difference) for known in INTENDED)


def open_reason(statement: str, difference: str) -> str | None:
    return next((known.reason for known in OPEN if known.covers(statement, difference)), None)


def left_out() -> frozenset[str]:
    """What random histories do not hold, as it is known to differ."""
    return frozenset().union(*(known.leaves_out for known in OPEN))
