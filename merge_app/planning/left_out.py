"""What a merge leaves out although no rule refuses it: values of columns and fields that the merged table lacks."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import Field, ParsedType
from catalog_app.rules.codes import VerdictCode
from lakeui.common.counts import counted
from merge_app.planning.change_sets import change_sets_of, table_merged
from merge_app.planning.effects import example_text
from merge_app.planning.findings import ROW_AXES, Pair, Problem
from merge_app.planning.merge_plan import SIDE_NAMES, LeftValues, PlanInput
from merge_app.planning.resolutions import resolve


@dataclass(frozen=True, slots=True)
class LeftPart:
    """A column that the merged table lacks; or a field of one: ``way`` leads down to it, by the names of types."""

    column: Column
    identity: int
    way: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return ".".join((self.column.name, *self.way))


def tables_leaving_values(given: PlanInput) -> dict[int, dict[str, tuple[LeftPart, ...]]]:
    """By table and side (``source``, ``destination``), the columns and fields of that side that the merged table lacks,
    where the side changed rows: their values may be left out. Decisions count.
    """
    resolved = resolve(given) if given.resolutions else given
    change_sets = change_sets_of(resolved)
    found: dict[int, dict[str, tuple[LeftPart, ...]]] = {}
    for (kind, table_id), source in change_sets.source.items():
        before, state = resolved.tables.get(table_id), resolved.source_tables.get(table_id)
        if kind is not ObjectKind.TABLE or before is None or state is None or source.dropped:
            continue
        destination = change_sets.destination_of(kind, table_id)
        if destination.dropped or state.schema is before.schema:
            continue
        writing = {"source": state.schema} if source.has(*ROW_AXES) else {}
        # Where the source overwrites the table the target's rows go whole, with whatever they hold.
        if destination.has(*ROW_AXES) and not source.overwrites_all:
            writing["destination"] = before.schema
        merged = table_merged(resolved, table_id).schema if writing else Schema()
        columns = {name: lacking for name, own in writing.items() if (lacking := tuple(_lacking(merged, own)))}
        if columns:
            found[table_id] = columns
    return found


def _lacking(merged: Schema, schema: Schema) -> Iterator[LeftPart]:
    for column in schema.columns:
        held = next((known for known in map(merged.column, column.ids) if known is not None), None)
        if held is None:
            yield LeftPart(column, column.id)
        elif column.nested is not None and held.nested is not None:
            for way, item in _lacking_fields(held.parsed, column.parsed):
                yield LeftPart(column, item.ids[0], way)


def _lacking_fields(merged: ParsedType, own: ParsedType) -> Iterator[tuple[tuple[str, ...], Field]]:
    """The outermost fields that the merged type lacks."""
    for item in own.fields:
        held = next((other for other in merged.fields if set(other.ids) & set(item.ids)), None)
        if held is None and item.ids:
            yield (item.name,), item
        elif held is not None:
            yield from (((item.name, *way), field) for way, field in _lacking_fields(held.type, item.type))


def left_value_notes(pair: Pair, values: Iterable[LeftValues]) -> Iterator[Problem]:
    """DISCARDED_VALUE for each column or field of which a side changed values without a place in the merged table."""
    for item in values:
        is_source = item.side == "source"
        changes = pair.source if is_source else pair.destination
        axis = changes.first_of(ROW_AXES, ROW_AXES[0])
        part = "field" if item.is_field else "column"
        left = f"{counted(item.rows, 'changed value')} of {part} {item.column}"
        side = changes.branch or f"the {SIDE_NAMES[item.side]}"
        verb, what = ("is", "it") if item.rows == 1 else ("are", "them")
        yield Problem(
            (axis, "column") if is_source else ("column", axis),
            VerdictCode.DISCARDED_VALUE,
            "",
            f"{left} {verb} left out: {side} wrote {what}, and the merged table has no such {part}"
            f"{rows_named(item.examples)}",
            {
                "side": item.side,
                "column": item.column,
                "column_id": item.column_id,
                "rows": item.rows,
                "examples": [json.loads(text) for text in item.examples],
            },
        )


def rows_named(examples: Collection[str]) -> str:
    """The end of a sentence that names rows, such as ``: id 5, who "Eve"; id 6, who "Bo".``."""
    return f": {'; '.join(example_text(text) for text in examples)}." if examples else "."
