"""Decisions that a MERGE BRANCH statement brings along, looked at like those of a merge request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from catalog_app.domain.operations import ObjectKind
from catalog_app.models import Branch
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.branches.rerunning import with_statements
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine
from lakeui.sql import statements as sql
from merge_app.execution.merge_command import Decided
from merge_app.planning.decision_phrases import PHRASES
from merge_app.planning.merge_plan import Decision, Resolution, ResolutionPart
from merge_app.review.open_conflicts import (
    OpenConflict,
    conflicts_answered,
    conflicts_load,
    decision_matched,
    no_open_conflict,
)
from merge_app.review.resolving import effects_looked_at, resolution_checked


def decisions_looked_at(
    call: Call, source: Branch, destination: Branch, wanted: tuple[sql.ConflictDecision, ...]
) -> Decided | None:
    """The decisions for the heads of these rows, each with what it does; None where the statement brings none. Raises
    NoOpenConflict for one that answers nothing.
    """
    if not wanted:
        return None

    def match(item: sql.ConflictDecision, conflicts: Sequence[OpenConflict]) -> Resolution:
        named = _resolution(item, conflicts, source, destination)
        return decision_matched(resolution_checked(with_statements(named, source, destination)), conflicts)[0]

    load = partial(conflicts_load, source, destination, engine)
    conflicts = conflicts_answered(wanted, match, load(), load)
    chosen = [match(item, conflicts) for item in wanted]
    _refuse_twice(wanted, chosen)
    looked_at = effects_looked_at(chosen, conflicts, source, destination, engine)
    described = tuple(_described(call, resolution, shown) for resolution, shown in looked_at)
    resolutions = tuple(resolution for resolution, _ in looked_at)
    return Decided(source.head_version, destination.head_version, resolutions, described)


def _refuse_twice(wanted: Sequence[sql.ConflictDecision], chosen: Sequence[Resolution]) -> None:
    """Raises InvalidValue where two decisions say otherwise of one part. A new name stands beside any other."""
    found: dict[tuple[Any, ...], Resolution] = {}
    for said, item in zip(wanted, chosen, strict=True):
        place = (item.key_of_object, item.part, item.part_key, item.decision is Decision.RENAME)
        if found.setdefault(place, item) != item:
            raise InvalidValue(
                f"One {item.part.value} of {said.kind} {said.name} is decided twice,"
                f" as {PHRASES[found[place].decision].words} and as {PHRASES[item.decision].words}.",
                remedy="Decide it once.",
                field="decisions",
            )


def _resolution(
    item: sql.ConflictDecision, conflicts: Sequence[OpenConflict], source: Branch, destination: Branch
) -> Resolution:
    own = [c for c in conflicts if c["kind"] == item.kind and c["object"].casefold() == item.name.casefold()]
    part, decision = ResolutionPart(item.part), Decision(item.decision)
    object_id = own[0]["object_id"] if own else 0
    key = _part_key(item, own, object_id, (destination, source))
    found = Resolution(ObjectKind(item.kind), object_id, decision, part, key, item.new_name, item.value)
    if not own:
        raise no_open_conflict(found, conflicts, own, name=item.name)
    return found


def _part_key(
    item: sql.ConflictDecision, own: list[OpenConflict], table_id: int, branches: tuple[Branch, Branch]
) -> str:
    """How the planner names the part. A column by the id that the conflict, or else either branch, has it under."""
    if not item.column:
        return item.part_key
    wanted = item.column.casefold()
    ids = [c["details"]["column_id"] for c in own if str(c["details"].get("column", "")).casefold() == wanted]
    if not ids:
        states = (tables_load(branch_snapshot(branch), [table_id]).get(table_id) for branch in branches)
        schemas = [state.schema for state in states if state is not None]
        ids = [column.id for schema in schemas if (column := schema.named(item.column)) is not None]
        if not ids and schemas:
            known = [column.name for schema in schemas for column in schema.columns]
            raise NotFound("column", item.column, nearest=nearest_name(item.column, known), where=f"of {item.name}")
        ids = ids or [0]
    return f"{ids[0]}:{item.part_key}" if item.part == ResolutionPart.CELL else str(ids[0])


def _described(call: Call, resolution: Resolution, shown: dict[str, Any]) -> dict[str, Any]:
    """The decision for the audit record."""
    return {
        "resolution": 0,
        "author": call.session.user_name,
        "object_kind": resolution.object_kind.value,
        "object_id": resolution.object_id,
        **resolution.as_json(),
        **{name: shown[name] for name in ("object", "column", "rows_left_out", "left_out")},
        "effect": shown["text"],
    }
