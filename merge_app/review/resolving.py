"""Deciding conflicts of a request: stored and shared, each by its author, for the heads that were looked at."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.roles import Action, Principal
from catalog_app.models import Branch
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.people import action_require, person_id
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.common.errors import InvalidValue, NotFound, Stale
from merge_app.comparison.decision_effects import effects_load
from merge_app.execution.engine_source import EngineSource
from merge_app.planning.decision_phrases import named_twice
from merge_app.planning.effects import effect_as_json
from merge_app.planning.merge_plan import Decision, Effect, Resolution, ResolutionPart
from merge_app.planning.resolutions import ALLOWED, partition_key
from merge_app.planning.row_merges import ROW_PARTS
from merge_app.review.known_plans import branches_now, plan_keep, plan_load, resolution_value, resolutions_of, seen_now
from merge_app.review.models import FINISHED_STATES, ConflictResolution, MergeRequest, TimelineKind
from merge_app.review.open_conflicts import (
    ConflictsSource,
    OpenConflict,
    conflicts_answered,
    conflicts_load,
    decision_matched,
    no_open_conflict,
)
from merge_app.review.requests import request_lock, request_settle, request_touch, wrong_state
from merge_app.review.states import RequestState, may_change
from merge_app.review.timeline import Event, timeline_append

_WHOLE = (ResolutionPart.OBJECT, ResolutionPart.ROWS)
_CELL = re.compile(r"^\d+:(\{.*\}|\d+)$", re.DOTALL)
"""Of a column by id, the row of a primary key or of a row id."""


@dataclass(frozen=True, slots=True)
class ExpectedHeads:
    """The heads that whoever decides looked at."""

    source: int
    destination: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """A decision as it is handed in; ``confirm`` is the number of rows that it is expected to leave out."""

    decided: Resolution
    confirm: int | None = None


def resolutions_set(
    *,
    principal: Principal,
    request: MergeRequest,
    wanted: Sequence[Wanted],
    heads: ExpectedHeads,
    engine: EngineSource,
    conflicts: ConflictsSource | None = None,
) -> list[ConflictResolution]:
    """Decide all of these or none, each in place of what was decided of the same part before. The request is planned
    once. ``conflicts`` gives the open ones, where the caller knows them already.

    Raises Stale where a branch has moved or a confirmed number is another, NoOpenConflict where nothing is answered,
    and InvalidValue where two decide one part.
    """
    action_require(principal, request.catalog, Action.RESOLVE_CONFLICT)
    checked = [resolution_checked(item.decided) for item in wanted]
    source, destination = branches_now(request)
    _require_heads(source, destination, heads)
    known = conflicts_answered(
        checked,
        lambda decided, open_now: decision_matched(decided, open_now)[0],
        conflicts(source, destination) if conflicts else conflicts_load(source, destination, engine),
        partial(conflicts_load, source, destination, engine),
        resolutions_of(request, source, destination),
    )
    looked_at = effects_looked_at(checked, known, source, destination, engine)
    _require_distinct([decided for decided, _ in looked_at])
    for item, (decided, _) in zip(wanted, looked_at, strict=True):
        _require_confirmed(decided, item.confirm)
    with transaction.atomic():
        locked = _lock(request.pk)
        _require_heads(*branches_now(locked), heads)
        rows = [_decided(locked, principal, decided, shown, heads) for decided, shown in looked_at]
    request_look(request_id=request.pk, engine=engine, actor_id=principal.user_id)
    return rows


def _decided(
    locked: MergeRequest, principal: Principal, decided: Resolution, shown: dict[str, Any], heads: ExpectedHeads
) -> ConflictResolution:
    _withdraw(locked, _of_part(locked, decided))
    row = ConflictResolution.objects.create(
        request=locked,
        author_id=person_id(principal),
        object_kind=decided.object_kind,
        object_id=decided.object_id,
        part=decided.part,
        part_key=decided.part_key,
        decision=decided.decision,
        name=decided.name,
        value=decided.value,
        effect=shown,
        source_head=heads.source,
        destination_head=heads.destination,
    )
    _changed(locked, principal, row, "decided")
    return row


def effects_looked_at(
    wanted: Sequence[Resolution],
    conflicts: Sequence[OpenConflict],
    source: Branch,
    destination: Branch,
    engine: EngineSource,
) -> list[tuple[Resolution, dict[str, Any]]]:
    """Each decision with its effect on these heads, and that as JSON with the names of what it is about. What they do
    is counted once an object. Raises NoOpenConflict.
    """
    matched = [decision_matched(decided, conflicts) for decided in wanted]
    effects: dict[int, Effect] = {}
    for key in dict.fromkeys(decided.key_of_object for decided, _ in matched):
        places = [place for place, (decided, _) in enumerate(matched) if decided.key_of_object == key]
        own = [matched[place][0] for place in places]
        try:
            found = effects_load(source, destination, key, own, engine)
        except NotFound as missing:
            raise no_open_conflict(own[0], conflicts, [matched[places[0]][1]]) from missing
        effects.update(zip(places, found, strict=True))
    return [
        (
            replace(decided, effect=effects[place]),
            {
                **effect_as_json(effects[place]),
                "object": conflict["object"],
                "column": _column_name(decided, conflict, source, destination),
            },
        )
        for place, (decided, conflict) in enumerate(matched)
    ]


def _require_distinct(wanted: Sequence[Resolution]) -> None:
    seen: set[tuple[Any, ...]] = set()
    for item in wanted:
        part = (*item.key_of_object, item.part, item.part_key)
        if part in seen:
            raise InvalidValue(
                f"Two decisions are about the {item.part.value} {item.part_key} of one {item.object_kind.value}.",
                remedy="Send one decision of each part.",
            )
        seen.add(part)


def _column_name(decided: Resolution, conflict: OpenConflict, source: Branch, destination: Branch) -> str:
    """Of a decided column or cell; "" of any other part."""
    if decided.part is ResolutionPart.COLUMN:
        return str(conflict["details"].get("column", ""))
    if decided.part is not ResolutionPart.CELL:
        return ""
    column_id = int(decided.part_key.partition(":")[0])
    for branch in (destination, source):
        state = tables_load(branch_snapshot(branch), [decided.object_id]).get(decided.object_id)
        column = None if state is None else state.schema.column(column_id)
        if column is not None:
            return column.name
    return ""


def _require_heads(source: Branch, destination: Branch, heads: ExpectedHeads) -> None:
    if (source.head_version, destination.head_version) != (heads.source, heads.destination):
        raise Stale(
            "A branch moved since you looked at the conflict.", remedy="Look at the comparison, then decide again."
        )


def _require_confirmed(decided: Resolution, confirm: int | None) -> None:
    rows = decided.effect.rows if decided.effect is not None else 0
    if confirm is not None and confirm != rows:
        text = decided.effect.text if decided.effect is not None else ""
        raise Stale(f"It leaves out {rows} changes of rows, not {confirm}. {text}", remedy="Look at it again.")


def resolution_withdraw(
    *, principal: Principal, request: MergeRequest, resolution_id: int, engine: EngineSource
) -> None:
    """Take a decision back: whoever may decide may do so."""
    action_require(principal, request.catalog, Action.RESOLVE_CONFLICT)
    with transaction.atomic():
        locked = _lock(request.pk)
        row = ConflictResolution.objects.filter(request=locked, pk=resolution_id, withdrawn_at__isnull=True).first()
        if row is None:
            raise NotFound("resolution", str(resolution_id), where=f"of merge request #{request.number}")
        _withdraw(locked, [row])
        _changed(locked, principal, row, "withdrawn")
    request_look(request_id=request.pk, engine=engine, actor_id=principal.user_id)


def request_look(*, request_id: int, engine: EngineSource, actor_id: int | None) -> None:
    """Plan the request as it is now, and bring its state up to what comes out. Of a finished one the plan stays."""
    plan = plan_load(MergeRequest.objects.get(pk=request_id), engine)
    with transaction.atomic():
        locked = request_lock(request_id)
        if locked.state not in FINISHED_STATES and seen_now(locked, *branches_now(locked)) == plan.seen:
            plan_keep(locked, plan)
            request_settle(locked, actor_id=actor_id)
            request_touch(locked)


def resolution_checked(decided: Resolution) -> Resolution:
    """The decision, its part named as the planner names it. Raises InvalidValue for what cannot be decided of such a
    part.
    """
    allowed = ALLOWED[decided.part]
    if decided.decision not in allowed:
        raise InvalidValue(
            f"Of one {decided.part.value} only these can be decided: {', '.join(map(named_twice, sorted(allowed)))}.",
            remedy="Decide of the object as a whole, or choose one of them.",
        )
    if (decided.decision is Decision.RENAME) != bool(decided.name):
        raise InvalidValue("A rename, and only that, needs `name`.", remedy="Send the new name without its database.")
    if (decided.part in _WHOLE) == bool(decided.part_key):
        raise InvalidValue(
            "A part, and only that, needs `part_key`.", remedy="Name the property, column, partition, row or cell."
        )
    _check_rows(decided)
    if decided.object_kind not in (ObjectKind.DATABASE, ObjectKind.TABLE):
        raise InvalidValue("Only databases and tables are merged.", remedy="Send object_kind as one of them.")
    return replace(decided, part_key=_partition(decided)) if decided.part is ResolutionPart.PARTITION else decided


def _partition(decided: Resolution) -> str:
    try:
        values = json.loads(decided.part_key)
    except ValueError:
        values = None
    if not isinstance(values, list) or not all(value is None or isinstance(value, str) for value in values):
        raise InvalidValue(
            "A partition is named by a JSON array of its values as texts.", remedy='For example ["2013",null].'
        )
    return str(partition_key(values))


def _check_rows(decided: Resolution) -> None:
    """What is decided of rows: by key, and with a value where one is needed."""
    if (decided.decision in (Decision.EDITED, Decision.NEWEST, Decision.RERUN)) != bool(decided.value):
        raise InvalidValue(
            "An edited row or cell, and the rule `newest`, need `value`, and only they.",
            remedy="Send a cell's value as JSON, a row as a JSON object by columns, or the name of a column.",
        )
    if decided.part in ROW_PARTS and decided.object_kind is not ObjectKind.TABLE:
        raise InvalidValue("Only tables have rows.", remedy="Send object_kind as table.")
    if decided.part is ResolutionPart.CELL and not _CELL.match(decided.part_key):
        raise InvalidValue(
            "A cell is named by its column's id and the key of its row.", remedy='For example 3:{"id":5}.'
        )
    if decided.decision is Decision.EDITED:
        _check_edited(decided)


def _check_edited(decided: Resolution) -> None:
    try:
        value = json.loads(decided.value)
    except ValueError as error:
        raise InvalidValue(f"`value` is no JSON: {error}.", remedy="Put texts into quotation marks.") from error
    if decided.part is ResolutionPart.ROW and not isinstance(value, dict):
        raise InvalidValue("A row is edited by an object of its columns.", remedy='For example {"amount": 12}.')


def _lock(request_id: int) -> MergeRequest:
    locked = request_lock(request_id)
    permit = may_change(RequestState(locked.state))
    if not permit:
        raise wrong_state(locked, f"The request {permit.reason}.")
    return locked


def _of_part(request: MergeRequest, decided: Resolution) -> list[ConflictResolution]:
    found = ConflictResolution.objects.filter(
        request=request,
        withdrawn_at__isnull=True,
        object_kind=decided.object_kind,
        object_id=decided.object_id,
        part=decided.part,
        part_key=decided.part_key,
    )
    return list(found)


def _withdraw(request: MergeRequest, rows: list[ConflictResolution]) -> None:
    chosen = ConflictResolution.objects.filter(request=request, pk__in=[row.pk for row in rows])
    chosen.update(withdrawn_at=timezone.now())


def _changed(request: MergeRequest, principal: Principal, row: ConflictResolution, what: str) -> None:
    request.resolutions_digest = _digest(request)
    details = {
        "resolution": row.pk,
        "what": what,
        "object_kind": row.object_kind,
        "object_id": row.object_id,
        **resolution_value(row).as_json(),
        **named(row),
    }
    timeline_append(request, Event(TimelineKind.RESOLUTION, principal.user_id, details=details))
    request_touch(request)


def named(row: ConflictResolution) -> dict[str, Any]:
    """What a decision is about, by names, and what it does: as the object, which may be gone later, was called."""
    shown = {name: row.effect[name] for name in ("object", "column", "rows_left_out", "left_out") if name in row.effect}
    return {**shown, "effect": row.effect["text"]} if row.effect else {}


def _digest(request: MergeRequest) -> str:
    """SHA-256 of what is decided, and for which heads; "" where nothing is."""
    rows = ConflictResolution.objects.filter(request=request, withdrawn_at__isnull=True)
    fields = (
        "object_kind",
        "object_id",
        "part",
        "part_key",
        "decision",
        "name",
        "value",
        "source_head",
        "destination_head",
    )
    content = sorted(list(row) for row in rows.values_list(*fields))
    return hashlib.sha256(json.dumps(content).encode()).hexdigest() if content else ""
