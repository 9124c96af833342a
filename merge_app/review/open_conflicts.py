"""The open conflicts between two branches, and whether a decision answers one: what answers none is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from catalog_app.models import Branch
from lakeui.common.errors import NoOpenConflict
from merge_app.comparison.compare import comparison_load
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.report import finding_as_json
from merge_app.planning.decision_phrases import decision_written
from merge_app.planning.decisions import Option, is_by_row, is_by_row_id, options_written
from merge_app.planning.merge_plan import Decision, Resolution, ResolutionPart
from merge_app.planning.row_merges import ROW_PARTS

OpenConflict = Mapping[str, Any]
"""A finding as JSON that ``decisions`` of its own answer."""

Asked = TypeVar("Asked")
ConflictsSource = Callable[[Branch, Branch], Sequence[OpenConflict]]
"""Gives the open conflicts of two heads, nothing decided."""

CONFLICTS_SHOWN = 20
"""So many open conflicts a refusal lists; it counts them all."""


def conflicts_load(
    source: Branch, destination: Branch, engine: EngineSource, decided: Sequence[Resolution] = ()
) -> list[OpenConflict]:
    """By the planner, on the heads of these rows; those that are left where these are ``decided``."""
    compared = comparison_load(source, destination, engine, tuple(decided))
    findings = (finding_as_json(finding) for item in compared.objects for finding in item.findings)
    return [finding for finding in findings if finding["decisions"]]


def conflicts_answered(
    wanted: Sequence[Asked],
    match: Callable[[Asked, Sequence[OpenConflict]], Resolution],
    conflicts: Sequence[OpenConflict],
    left: Callable[[Sequence[Resolution]], Sequence[OpenConflict]],
    earlier: Sequence[Resolution] = (),
) -> list[OpenConflict]:
    """The ``conflicts``, and those that decisions open: ``earlier`` ones, or others of these. A new table has no place
    where its database is left out. ``left`` gives what is open after decisions. Raises what ``match`` raises of one
    that answers none.
    """
    known, decided, missing = list(conflicts), list(earlier), list(wanted)
    has_more = bool(earlier)
    while True:
        refused: list[tuple[Asked, NoOpenConflict]] = []
        for item in missing:
            try:
                decided.append(match(item, known))
            except NoOpenConflict as refusal:
                refused.append((item, refusal))
        if not refused:
            return known
        if len(refused) == len(missing) and not has_more:
            raise refused[0][1]
        has_more, missing = False, [item for item, _ in refused]
        known += [item for item in left(decided) if item not in known]


def decision_matched(decided: Resolution, conflicts: Sequence[OpenConflict]) -> tuple[Resolution, OpenConflict]:
    """The decision, its part named as the planner names it, with a conflict that it answers. A column goes by the id
    that either side has it under. Raises NoOpenConflict, which lists the open ones.
    """
    own = [item for item in conflicts if (item["kind"], item["object_id"]) == decided.key_of_object]
    for conflict in own:
        found = _named_as_planned(decided, conflict)
        if _answers(found, conflict):
            return found, conflict
    raise no_open_conflict(decided, conflicts, own)


def _answers(decided: Resolution, conflict: OpenConflict) -> bool:
    wanted = (decided.decision.value, decided.part.value, decided.part_key)
    if decided.part in ROW_PARTS and conflict["verdict"] == "conflict":
        return _answers_rows(decided, conflict)
    return any((item["decision"], item["part"], item["part_key"]) == wanted for item in conflict["decisions"])


def _answers_rows(decided: Resolution, conflict: OpenConflict) -> bool:
    """Rows that the finding does not name are answered too. Both stay where no row clashes by cell, and only there."""
    code, details = conflict["code"], conflict["details"]
    if is_by_row_id(code, details):
        return (decided.decision is Decision.BOTH) == (not details["clashing"])
    return code == "PRIMARY_KEY_CLASH" and is_by_row(details) and decided.decision is not Decision.BOTH


def _named_as_planned(decided: Resolution, conflict: OpenConflict) -> Resolution:
    if decided.part is not ResolutionPart.COLUMN:
        return decided
    details = conflict["details"]
    known = {str(details[name]) for name in ("column_id", "destination_column_id", "taken_by") if name in details}
    return replace(decided, part_key=str(details["column_id"])) if decided.part_key in known else decided


def no_open_conflict(
    decided: Resolution, conflicts: Sequence[OpenConflict], own: Iterable[OpenConflict] = (), *, name: str = ""
) -> NoOpenConflict:
    """The refusal of a decision that answers nothing, with the conflicts that are open."""
    part = "" if decided.part is ResolutionPart.OBJECT else f" of the {decided.part.value} {decided.part_key}".rstrip()
    decision = decision_written(decided.decision, new_name=decided.name, value=decided.value)
    own = list(own)
    name = name or next((item["object"] for item in own), str(decided.object_id))
    shown = [*own, *(item for item in conflicts if item not in own)][:CONFLICTS_SHOWN]
    lines = [line for item in shown for line in _choices_written(item)]
    return NoOpenConflict(
        f"The decision {decision}{part} answers no open conflict of {decided.object_kind.value} {name}.",
        remedy=f"Open: {'; '.join(lines)}." if lines else "Nothing is open: the merge needs no decision.",
        open=[
            {member: item[member] for member in ("object", "kind", "object_id", "code", "message", "decisions")}
            for item in shown
        ],
        open_count=len(conflicts),
    )


def _choices_written(conflict: OpenConflict) -> list[str]:
    options = map(Option.of_json, conflict["decisions"])
    return options_written(conflict["kind"], conflict["object"], conflict["details"], options)
