"""What is wrong with a pipeline's texts, each with its line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lakeui.common.errors import LakeError

CONFIG_FILE = "config.yaml"
SOURCE = "source"


class InvalidConfig(LakeError):
    """Details: ``errors``, every one of them with ``file``, ``line``, ``column`` (from 1), ``field``, ``message`` and
    ``remedy``; and ``statement`` where one statement mends all of them.
    """

    code, status, title = "INVALID_CONFIG", 422, "Invalid configuration"


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong. ``line`` and ``column`` count from 1; None where it is of no one line."""

    file: str
    line: int | None
    message: str
    remedy: str = ""
    field: str | None = None
    column: int | None = None

    def as_json(self) -> dict[str, object]:
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "field": self.field,
            "message": self.message,
            "remedy": self.remedy,
        }

    @property
    def place(self) -> str:
        return self.file if self.line is None else f"{self.file}, line {self.line}"


def refuse(mistakes: Sequence[Mistake], statement: str = "") -> None:
    """Raise InvalidConfig with all mistakes, if there are any. ``statement``: SQL that mends all of them."""
    if not mistakes:
        return
    message = "; ".join(f"{mistake.place}: {mistake.message}" for mistake in mistakes)
    remedy = mistakes[0].remedy if len(mistakes) == 1 else "Mend each of them."
    mend = {"statement": statement} if statement else {}
    raise InvalidConfig(message, remedy=remedy, errors=[mistake.as_json() for mistake in mistakes], **mend)


def nearest(name: str, known: Iterable[str]) -> str:
    """Advice for who meant one of ``known``: the nearest, else all of them."""
    names = list(known)
    found = nearest_of(name, names)
    return f"Did you mean {found}?" if found else f"It is one of {', '.join(names)}."


def nearest_of(name: str, known: Iterable[str]) -> str | None:
    """The nearest of ``known``, whatever the case of its letters; None where none is near."""
    by_folded = {item.casefold(): item for item in known}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=1)
    return by_folded[found[0]] if found else None
