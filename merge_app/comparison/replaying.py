"""An attempt to merge, planned once more from what is stored: both heads, and what people decided. Reads only.

The same rules make the same fingerprint of it, so whoever has the record can see that it tells what was judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import Q

from catalog_app.domain.operations import ObjectKind
from catalog_app.models import Branch
from catalog_app.rules.loader import load_rules
from catalog_app.selectors.snapshots import version_check
from lakeui.common.errors import InvalidValue, NotFound
from merge_app.audit.models import MergeAttempt
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.load import merge_input_load
from merge_app.planning.effects import effect_from_json
from merge_app.planning.merge_plan import Decision, PlanInput, Resolution, ResolutionPart
from merge_app.planning.plan import plan


@dataclass(frozen=True, slots=True)
class Replay:
    """The fingerprint of the record, and that of the plan of today. ``reason``: why they differ, where it is known."""

    recorded: str
    computed: str
    reason: str = ""

    @property
    def is_same(self) -> bool:
        return self.recorded == self.computed


def merge_replay(record: MergeAttempt, engine: EngineSource) -> Replay:
    """Plan the attempt again. Raises NotFound where the retention took what it was made of, and InvalidValue for
    records that are of no merge of two branches.
    """
    if record.kind != "merge":
        raise InvalidValue(
            f"Record {record.merge_id} is of the kind {record.kind}, which has no plan of two branches.",
            remedy="Name the record of a merge.",
        )
    source = _branch(record, "source", record.source_head)
    destination = _branch(record, "destination", record.destination_head)
    with transaction.atomic():
        decided = tuple(resolution_read(entry) for entry in record.body.get("resolutions", ()))
        given = merge_input_load(source, destination, engine, decided)[1]
    planned = plan(_as_named(given, {source.name: _own_name(record, source), destination.name: record.destination}))
    return Replay(record.fingerprint, planned.fingerprint, _why(record, planned.fingerprint))


def _own_name(record: MergeAttempt, source: Branch) -> str:
    """What the source was called then; of another catalog the record has it with that catalog's name."""
    is_foreign = source.catalog_id != record.catalog_id
    return record.source.partition(".")[2] if is_foreign else record.source


def _as_named(given: PlanInput, names: Mapping[str, str]) -> PlanInput:
    """The input with both branches called what they were called then: a plan says on which branch things were done."""
    if all(now == then for now, then in names.items()):
        return given

    def named(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(replace(item, branch=names.get(item.branch, item.branch)) for item in items)

    return replace(
        given,
        source=named(given.source),
        destination=named(given.destination),
        left_out_before=named(given.left_out_before),
        stale_reads=named(given.stale_reads),
    )


def _why(record: MergeAttempt, computed: str) -> str:
    rules = record.body.get("rules")
    if record.fingerprint == computed:
        return ""
    if rules is None:
        return "The record is older than records that name their rules, which may have changed."
    return "" if rules == load_rules().digest else "The rules of merging changed since."


def _branch(record: MergeAttempt, side: str, head: int) -> Branch:
    """The branch as it was: the row is to look at only, and is never saved."""
    known = record.body.get("branches", {}).get(side)
    found = Branch.objects.select_related("catalog")
    if known is not None:
        branch = found.filter(pk=known).first()
    else:
        named = getattr(record, side)
        catalog, _, name = named.partition(".")
        lived = Q(dropped_at__isnull=True) | Q(dropped_at__gte=record.recorded_at)
        place = Q(catalog=record.catalog_id, name__iexact=named) | Q(catalog__name__iexact=catalog, name__iexact=name)
        branch = found.filter(place, lived, created_at__lte=record.recorded_at).first()
    if branch is None:
        raise NotFound("branch", getattr(record, side), where="any more, as the record names it")
    branch.head_version = version_check(branch, head)
    return branch


def resolution_read(entry: dict[str, Any]) -> Resolution:
    """A decision as a record has it."""
    effect = {"text": entry["effect"], "left_out": entry["left_out"]} if entry.get("effect") else None
    return Resolution(
        object_kind=ObjectKind(entry["object_kind"]),
        object_id=entry["object_id"],
        decision=Decision(entry["decision"]),
        part=ResolutionPart(entry["part"]),
        part_key=entry["part_key"],
        name=entry["name"],
        value=entry.get("value", ""),
        effect=effect_from_json(effect) if effect else None,
    )
