"""What a decision is called: its value in REST, its phrase in RESOLVE of MERGE BRANCH. The grammar and every text that
names a decision stand on this table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from catalog_app.domain.quoting import quote_text, write_name
from merge_app.planning.merge_plan import Decision, ResolutionPart


class Phrase(NamedTuple):
    """``argument``: what a statement writes behind the words, empty where nothing is."""

    words: str
    argument: str = ""

    @property
    def form(self) -> str:
        return f"{self.words} {self.argument}".rstrip()


PHRASES: Mapping[Decision, Phrase] = {
    Decision.TAKE_SOURCE: Phrase("TAKE SOURCE"),
    Decision.TAKE_DESTINATION: Phrase("TAKE TARGET"),
    Decision.LEAVE_OUT: Phrase("SKIP"),
    Decision.RENAME: Phrase("RENAME TO", "name"),
    Decision.BOTH: Phrase("KEEP BOTH"),
    Decision.RERUN: Phrase("RUN AGAIN"),
    Decision.LARGER: Phrase("TAKE LARGER"),
    Decision.NEWEST: Phrase("TAKE NEWEST BY", "column"),
    Decision.EDITED: Phrase("SET", "'value'"),
}
OTHER_WORDS: Mapping[str, Decision] = {"TAKE DESTINATION": Decision.TAKE_DESTINATION}
"""Words that a statement may write too. No text names them."""


def object_written(kind: str, name: str) -> str:
    """What is decided: ``TABLE d.t``. The first dot of a label ends the database: a reader of the whole name puts both
    parts together again.
    """
    parts = name.split(".", 1) if kind == "table" else [name]
    return f"{kind.upper()} {'.'.join(map(write_name, parts))}"


def part_written(part: str, part_key: str, column: str = "") -> str:
    """The part of it: ``COLUMN c``, ``ROWS``; empty for the whole object. ``column``: the name, of a column or cell."""
    match ResolutionPart(part):
        case ResolutionPart.COLUMN:
            return f"COLUMN {write_name(column)}"
        case ResolutionPart.PROPERTY:
            return f"PROPERTY {quote_text(part_key)}"
        case ResolutionPart.PARTITION:
            values = ("NULL" if value is None else quote_text(value) for value in json.loads(part_key))
            return f"PARTITION ({', '.join(values)})"
        case ResolutionPart.ROWS:
            return "ROWS"
        case ResolutionPart.ROW:
            return f"ROW {quote_text(part_key)}"
        case ResolutionPart.CELL:
            return f"CELL {write_name(column)} OF {quote_text(part_key)}"
        case ResolutionPart.OBJECT:
            return ""


def decision_written(decision: Decision, *, new_name: str = "", value: str = "") -> str:
    """The decision with its argument: ``RENAME TO n``."""
    match decision:
        case Decision.RENAME:
            argument = write_name(new_name)
        case Decision.NEWEST:
            argument = write_name(value)
        case Decision.EDITED:
            argument = quote_text(value)
        case _:
            argument = ""
    return f"{PHRASES[decision].words} {argument}".rstrip()


def forms_of(decisions: Iterable[Decision]) -> str:
    """Decisions of which one is chosen: ``KEEP BOTH | SKIP``."""
    return " | ".join(PHRASES[decision].form for decision in decisions)


def named_twice(decision: Decision) -> str:
    """As SQL and as REST have it: ``TAKE SOURCE (source)``."""
    return f"{PHRASES[decision].form} ({decision.value})"
