"""Literals of a statement as values of its markers: a statement with parameters means the one with the literals."""

from __future__ import annotations

import re
from zlib import crc32

from lakeui.sql.parameters import Parameter, Parameters

_STATEMENTS = ("INSERT", "UPDATE", "DELETE", "MERGE", "SELECT", "WITH", "CREATE OR REPLACE")
_LITERAL = re.compile(r"(?<![\w\[])'([^'\\]*)'(?!')|(?<=[=<>] )(\d{1,9})(?![\w.])|'(?:[^'\\]|\\.)*'")
"""A text without escapes that no bracket holds, a whole number behind an operator, or what is passed over."""


def bound(statement: str) -> tuple[str, Parameters]:
    """One statement in three with all its plain literals as parameters, others as they are."""
    if crc32(statement.encode()) % 3 or not statement.startswith(_STATEMENTS):
        return statement, Parameters()
    values: list[Parameter] = []

    def marker(match: re.Match[str]) -> str:
        text, number = match.groups()
        if text is None and number is None:
            return match[0]
        values.append(Parameter(text if number is None else int(number)))
        return "?"

    written = _LITERAL.sub(marker, statement)
    return written, Parameters(tuple(values))
