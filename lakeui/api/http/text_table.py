"""A result as lines of aligned text for a terminal."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
WIDEST_CELL = 80


def text_table(columns: Sequence[dict[str, str]], rows: Sequence[Sequence[Any]]) -> str:
    """Header, rule and rows; numbers to the right, NULL in capitals, long cells cut with an ellipsis."""
    if not columns:
        return ""
    right = [column["type"].lower().startswith(NUMBERS) for column in columns]
    lines = [[_cell(column["name"]) for column in columns], *([_cell(value) for value in row] for row in rows)]
    widths = [max(_width(line[place]) for line in lines) for place in range(len(columns))]
    drawn = [_line(line, widths, right) for line in lines]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([drawn[0], rule, *drawn[1:]])


def csv_lines(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """A header and the rows. Texts are quoted, so that an empty one differs from NULL, which is nothing at all."""
    return [",".join(map(_csv_value, line)) for line in (names, *rows)]


def _csv_value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return '"' + text.replace('"', '""') + '"'


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for cell, width, to_right in zip(cells, widths, right, strict=True):
        padding = " " * (width - _width(cell))
        padded.append(padding + cell if to_right else cell + padding)
    return "  ".join(padded).rstrip()


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # Control characters, which could drive the reader's terminal, are shown as what they are.
    shown = "".join(_visible(character) for character in text)
    return shown if len(shown) <= WIDEST_CELL else shown[: WIDEST_CELL - 1] + "…"


def _visible(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs"):
        return character.encode("unicode_escape", "backslashreplace").decode()
    return character


def _width(text: str) -> int:
    """Terminal columns: wide East Asian characters take two, combining ones none."""
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
