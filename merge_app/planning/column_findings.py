"""What the merge of facts says of columns and of fields inside of them, as problems with their sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from catalog_app.domain.operations import ColumnAttribute, ColumnChange
from catalog_app.domain.schema import Column
from catalog_app.domain.types import parse_identified, widens
from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.facts import column_of
from merge_app.lineage.outcomes import Finding
from merge_app.planning.findings import ROW_AXES, Pair, Problem
from merge_app.planning.merge_plan import SIDE_NAMES
from merge_app.planning.nested_columns import AppliedFields, fields_apply, fields_join

_CELL = ("column", "column")


def column_problems(pair: Pair) -> Iterator[Problem]:
    """What facts found, and what they do not say: fields inside of columns, and types that are too narrow for rows that
    the other side wrote.
    """
    for finding in pair.findings:
        if finding.code in _SENTENCES:
            yield from _SENTENCES[finding.code](pair, finding)
    if pair.source.columns:
        yield from _narrowed(pair)
        yield from _of_fields(pair)
        if pair.destination.columns:
            yield from _nothing_left(pair)


def _ids(finding: Finding) -> list[int]:
    return list(dict.fromkeys(map(column_of, finding.keys)))


def _missing(pair: Pair, finding: Finding) -> Iterator[Problem]:
    for identity in _ids(finding):
        dropped = (change for change in pair.destination.columns.values() if _drops(change, identity))
        known = next((change.before["name"] for change in dropped), None) or _name(pair.source_schema.column(identity))
        name = known or f"with id {identity}"
        changed = (attribute.value for of, attribute in pair.source.columns if of == identity)
        yield Problem(
            _CELL,
            finding.code,
            "A6",
            f"The source changed column {name}, which the target dropped.",
            {"column": name, "column_id": identity, "attribute": next(changed, "")},
        )


def _drops(change: ColumnChange, column_id: int) -> bool:
    return change.attribute is ColumnAttribute.EXISTS and bool(change.before) and column_id in change.column_ids


def _name(column: Column | None) -> str | None:
    return None if column is None else column.name


def _taken(pair: Pair, finding: Finding) -> Iterator[Problem]:
    """A column that the source named must be alone in bearing its name. Of two that it named, one is reported."""
    named = {i for i, of in pair.source.columns if of in (ColumnAttribute.NAME, ColumnAttribute.EXISTS)}
    by_name: dict[str, list[Column]] = {}
    for column in filter(None, map(pair.schema.column, _ids(finding))):
        by_name.setdefault(column.name.casefold(), []).append(column)
    for same in by_name.values():
        column = min(same, key=lambda one: (named.isdisjoint(one.ids), one.id))
        other = next((one for one in same if one is not column), column)
        is_named = not named.isdisjoint(column.ids)
        says = f"The source calls a column {column.name}, which another column of the target is called."
        yield Problem(
            _CELL,
            finding.code,
            "A6" if is_named else finding.rule,
            says if is_named else f"Two columns of the result would be called {column.name}.",
            {"column": column.name, "column_id": column.id, "taken_by": other.id},
        )


def _narrowing(pair: Pair, finding: Finding) -> Iterator[Problem]:
    for identity in _ids(finding):
        present, change = pair.target_schema.column(identity), pair.source.columns.get((identity, _TYPE))
        assert present is not None
        if change is not None:
            yield _narrower(pair, present, change.after, identity)
        else:
            # An addition of both sides has another id on each.
            added = pair.source_schema.named(present.name)
            assert added is not None
            yield _narrower(pair, present, added.type, added.id)


def _narrower(pair: Pair, present: Column, wanted: str, source_id: int) -> Problem:
    name = _name(pair.schema.column(present.id)) or present.name
    return Problem(
        _CELL,
        VerdictCode.COLUMN_TYPE_NARROWING,
        "A6.1",
        f"The source makes column {name} {wanted}, but it is {present.type} on the target,"
        f" which does not widen to {wanted}.",
        {
            "column": name,
            "column_id": source_id,
            "destination_column_id": present.id,
            "destination_type": present.type,
            "source_type": wanted,
        },
    )


_TYPE, _FIELDS = ColumnAttribute.TYPE, ColumnAttribute.NESTED


def _narrowed(pair: Pair) -> Iterator[Problem]:
    """A type that one side made narrower holds the rows that it knows, but not all that the other wrote (R6)."""
    if pair.source.overwrites_all or not pair.destination.has(*ROW_AXES):
        return
    others = pair.destination.columns
    for (identity, attribute), change in pair.source.columns.items():
        present = pair.target_schema.column(identity) if attribute is _TYPE else None
        is_of_both = (identity, _TYPE) in others or (identity, _FIELDS) in others
        if present is not None and not is_of_both and not widens(present.type, change.after):
            yield _narrower(pair, present, change.after, identity)


def _of_fields(pair: Pair) -> Iterator[Problem]:
    for (identity, attribute), change in pair.source.columns.items():
        result = pair.schema.column(identity)
        present = None if result is None else pair.target_schema.column(result.id)
        if result is None or present is None or present.nested is None:
            continue
        if attribute is _FIELDS and change.before is not None and change.after is not None:
            ended = pair.source_schema.column(identity)
            applied = fields_apply(
                parse_identified(change.before),
                parse_identified(change.after),
                present.parsed,
                column=result.name,
                source=None if ended is None else ended.parsed,
                replaces_rows=pair.source.overwrites_all,
            )
            yield from _field_problems(present, applied)
        elif attribute is ColumnAttribute.EXISTS and change.after is not None:
            added = Column.from_json(change.after)
            if added.nested is not None:
                yield from _field_problems(present, fields_join(present.parsed, added.parsed, column=added.name))


def _field_problems(column: Column, applied: AppliedFields) -> Iterator[Problem]:
    for item in applied.problems:
        details = {"column": item.details["column"], "column_id": column.id, **item.details}
        yield replace(item, details=details)


def _nothing_left(pair: Pair) -> Iterator[Problem]:
    """The result has no column, or a struct without a field, and no side has it so (A6). A table has a column, and
    Parquet writes no struct without a field.
    """
    sides = pair.source_schema, pair.target_schema
    if not pair.schema.columns and all(side.columns for side in sides):
        yield _empty("Source and target together drop every column of the table.", "", 0)
    for column in pair.schema.columns:
        held = [side.column(column.id) for side in sides]
        if column.holds_nothing and not any(other.holds_nothing for other in held if other is not None):
            sentence = f"Source and target together drop every field of a struct in column {column.name}."
            yield _empty(sentence, column.name, column.id)


def _empty(sentence: str, name: str, identifier: int) -> Problem:
    details = {"column": name, "column_id": identifier}
    return Problem(_CELL, VerdictCode.NO_COLUMN_LEFT, "A6", sentence, details)


def _parted(pair: Pair, finding: Finding) -> Iterator[Problem]:
    """The sentence names the side with several columns: the other one shows at most one of them."""
    ids, shown = _ids(finding), {"source": pair.source_schema, "destination": pair.target_schema}
    of_sides = {side: [column.name for column in own.columns if column.id in ids] for side, own in shown.items()}
    side, names = max(of_sides.items(), key=lambda found: len(found[1]))
    other = next(word for word in shown if word != side)
    one = next((column.name for i in ids if (column := pair.schema.column(i)) is not None), names[0])
    several = f"columns {' and '.join(names)}" if len(names) > 1 else f"column {names[0]}, and dropped another"
    yield Problem(
        _CELL,
        finding.code,
        finding.rule,
        f"The {SIDE_NAMES[side]} has {several}. They are one column on the {SIDE_NAMES[other]}.",
        {"column": one, "column_id": ids[0], "columns": names, "side": side},
    )


_SENTENCES = {
    VerdictCode.COLUMN_MISSING: _missing,
    VerdictCode.COLUMN_NAME_TAKEN: _taken,
    VerdictCode.COLUMN_TYPE_NARROWING: _narrowing,
    VerdictCode.COLUMNS_JOINED: _parted,
}
