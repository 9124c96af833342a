"""ANSI store assignment: which types go into a column without a cast that a person wrote (Spark 4.3).

The table is Spark's, as INSERT INTO of plain Spark applies it: a number goes into any number, and overflow is an error.
Anything but a nested value goes into text. Text goes into text alone. Nested values go field by field.
"""

from __future__ import annotations

import re

NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint", "float", "double", "decimal"})
TIMES = frozenset({"date", "timestamp", "timestamp_ntz"})
TEXTS = frozenset({"string", "varchar", "char"})
_INTO_TEXT = NUMBERS | TIMES | TEXTS | {"boolean", "binary", "interval", "variant"}


def is_assignable(source: str, target: str) -> bool:
    """Whether a value of the type ``source`` may be stored as ``target``; both are type texts, and not nested."""
    origin, goal = _family(source), _family(target)
    if origin in ("void", goal) or (goal in TEXTS and origin in _INTO_TEXT):
        return True
    return any(origin in group and goal in group for group in (NUMBERS, TIMES))


def _family(type_text: str) -> str:
    return re.split(r"[(<\s]", type_text.strip().lower(), maxsplit=1)[0]
