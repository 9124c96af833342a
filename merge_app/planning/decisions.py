"""Which decisions answer a conflict, and what a decision keeps and leaves out, as values and as sentences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from catalog_app.domain.operations import ObjectKind
from catalog_app.rules.codes import VerdictCode
from merge_app.planning.decision_phrases import forms_of, object_written, part_written
from merge_app.planning.effects import effect_as_json
from merge_app.planning.findings import outside_finding
from merge_app.planning.merge_plan import (
    SIDES,
    STATEMENTS,
    WITHOUT_SOURCE,
    Decision,
    Finding,
    Resolution,
    ResolutionPart,
    Verdict,
)
from merge_app.planning.row_merges import BY_ROW_ID

_RENAMING = (Decision.RENAME, *WITHOUT_SOURCE)
_WHOLE = (Decision.TAKE_SOURCE, *WITHOUT_SOURCE)

_OF_OBJECT: Mapping[str, tuple[Decision, ...]] = {
    VerdictCode.OBJECT_DROPPED_ON_DEST: _WHOLE,
    VerdictCode.NAME_EXISTS: _RENAMING,
    VerdictCode.COLUMNS_JOINED: WITHOUT_SOURCE,
    VerdictCode.PREDICATE_DML_VS_INSERT: (*STATEMENTS, *_WHOLE),
}
"""By code, what may be decided of the object; of any other code ``_WHOLE``."""


@dataclass(frozen=True, slots=True)
class Option:
    """One decision that answers a conflict. ``part_key`` is as in ``Resolution``."""

    decision: Decision
    part: ResolutionPart = ResolutionPart.OBJECT
    part_key: str = ""

    def as_json(self) -> dict[str, str]:
        return {"decision": self.decision.value, "part": self.part.value, "part_key": self.part_key}

    @classmethod
    def of_json(cls, item: Mapping[str, str]) -> Option:
        return cls(Decision(item["decision"]), ResolutionPart(item["part"]), item["part_key"])


def options_of(finding: Finding) -> tuple[Option, ...]:
    """The decisions that answer an open conflict, those of the smallest part first, or a note that one side's property
    overrides the other's; none of any other finding. Rows and cells of keys that the finding does not name are answered
    too.
    """
    if finding.code == VerdictCode.OVERRIDDEN_BY_SOURCE and "property" in finding.details:
        return tuple(Option(side, ResolutionPart.PROPERTY, finding.details["property"]) for side in SIDES)
    if finding.verdict is not Verdict.CONFLICT:
        return ()
    of_parts = tuple(_part_options(finding.code, finding.details))
    of_object = WITHOUT_SOURCE if is_homeless(finding) else decisions_of_object(finding.code)
    return (*of_parts, *(Option(decision) for decision in of_object))


def is_homeless(finding: Finding) -> bool:
    """Whether the target dropped the database of the table: no decision about the table brings that back."""
    return finding.code == VerdictCode.OBJECT_DROPPED_ON_DEST and "database_id" in finding.details


def decisions_of_object(code: str) -> tuple[Decision, ...]:
    """What may be decided of the whole object where a conflict has that code."""
    return _OF_OBJECT.get(code, _WHOLE)


def _part_options(code: str, details: Mapping[str, Any]) -> Iterator[Option]:
    match code:
        case VerdictCode.UNSET_SAME_PROPERTY | VerdictCode.CHECK_DIFFERS | VerdictCode.LAYOUT_DIFFERS:
            yield from (Option(side, ResolutionPart.PROPERTY, details["property"]) for side in SIDES)
        case VerdictCode.COLUMN_TYPE_NARROWING | VerdictCode.COLUMN_MISSING | VerdictCode.COLUMN_NAME_TAKEN:
            yield Option(Decision.TAKE_DESTINATION, ResolutionPart.COLUMN, str(details["column_id"]))
        case VerdictCode.NOT_NULL_WITHOUT_VALUE if details["side"] == "destination":
            yield Option(Decision.TAKE_DESTINATION, ResolutionPart.COLUMN, str(details["column_id"]))
        case VerdictCode.CHECK_VIOLATED if details.get("is_new"):
            yield Option(Decision.TAKE_DESTINATION, ResolutionPart.PROPERTY, details["property"])
        case VerdictCode.CHECK_COLUMN_MISSING | VerdictCode.LAYOUT_COLUMN_MISSING if details["side"] == "source":
            yield Option(Decision.TAKE_DESTINATION, ResolutionPart.PROPERTY, details["property"])
        case VerdictCode.CHECK_COLUMN_MISSING | VerdictCode.LAYOUT_COLUMN_MISSING:
            yield Option(Decision.TAKE_DESTINATION, ResolutionPart.COLUMN, str(details["column_id"]))
        case VerdictCode.PARTITION_DROPPED_ON_DEST | VerdictCode.PARTITION_EXISTS:
            values = json.dumps(details["partition"], ensure_ascii=False, separators=(",", ":"))
            yield Option(Decision.TAKE_DESTINATION, ResolutionPart.PARTITION, values)
        case VerdictCode.PRIMARY_KEY_CLASH | VerdictCode.SAME_FILE_UPDATE_UPDATE | VerdictCode.SAME_FILE_UPDATE_DELETE:
            yield from _row_options(code, details)


def _row_options(code: str, details: Mapping[str, Any]) -> Iterator[Option]:
    """Of rows in conflict. Where both branches changed no cell of a row, both changes stay, as the one option."""
    if is_by_row_id(code, details) and not details["clashing"]:
        yield Option(Decision.BOTH, ResolutionPart.ROWS)
    elif is_by_row(details) and "keys" in details:
        yield from (Option(item, ResolutionPart.ROWS) for item in (*SIDES, Decision.LARGER, Decision.NEWEST))
        for key in details["keys"]:
            yield from (Option(side, ResolutionPart.ROW, key) for side in (*SIDES, Decision.EDITED))


def is_by_row_id(code: str, details: Mapping[str, Any]) -> bool:
    """Whether rows without a primary key are in conflict, and may be decided one by one."""
    return code in BY_ROW_ID and "clashing" in details


def is_by_row(details: Mapping[str, Any]) -> bool:
    """Whether a clash of keys was found row by row, and may be decided so."""
    return "rows" in details


OR_DECIDE = "Or decide it: "
"""Between the remedy of a conflict and the decisions that clear it."""


def remedy_of_merge(finding: Finding) -> str:
    """The remedy of a merge's conflict, with the decisions that clear it as MERGE BRANCH takes them; of any other
    finding its own.
    """
    if finding.verdict is not Verdict.CONFLICT:
        return finding.remedy
    options = [option for option in options_of(finding) if option.part is not ResolutionPart.ROW]
    kind, name = finding.object_kind.value, finding.object_name
    texts = [f"RESOLVE ({text})" for text in options_written(kind, name, finding.details, options)]
    return f"{finding.remedy} {OR_DECIDE}{', or '.join(texts)}." if texts else finding.remedy


def options_written(kind: str, name: str, details: Mapping[str, Any], options: Iterable[Option]) -> list[str]:
    """The options of a conflict by what they decide: ``TABLE d.t COLUMN c TAKE SOURCE | TAKE TARGET``."""
    parts: dict[str, list[Decision]] = {}
    for option in options:
        part = part_written(option.part, option.part_key, details.get("column", ""))
        parts.setdefault(f"{part} ".lstrip(), []).append(option.decision)
    return [f"{object_written(kind, name)} {part}{forms_of(decisions)}" for part, decisions in parts.items()]


# -- what a decision does ---------------------------------------------------------------------------------------------


def decision_notes(resolutions: Iterable[Resolution], names: Mapping[tuple[ObjectKind, int], str]) -> Iterator[Finding]:
    """DISCARDED_BY_DECISION for each decision that leaves out anything. ``names`` are those of the objects."""
    for item in resolutions:
        if item.effect is None or not item.effect.left_out:
            continue
        name = names.get(item.key_of_object, str(item.object_id))
        found = outside_finding(
            item.key_of_object,
            name,
            VerdictCode.DISCARDED_BY_DECISION,
            f"On {name}, by a decision: {item.effect.text}",
            details={**item.as_json(), "effect": effect_as_json(item.effect)},
        )
        yield replace(found, remedy="")
