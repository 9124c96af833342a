"""What a person should know although nothing is refused: overridden, dropped, discarded and skipped work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from catalog_app.domain.checks import is_stored, property_shown
from catalog_app.domain.operations import ColumnAttribute, ColumnChange, OperationKind
from catalog_app.domain.row_merge import RowJudgement
from catalog_app.rules.codes import VerdictCode
from lakeui.common.counts import counted
from merge_app.planning.field_changes import fields_dropped_over, fields_overridden
from merge_app.planning.findings import Pair, Problem
from merge_app.planning.net_changes import ObjectChanges

_ROW_METRICS = ("rows_inserted", "rows_updated", "rows_deleted")


def attribute_notes(pair: Pair, columns: Mapping[int, str]) -> Iterator[Problem]:
    """OVERRIDDEN_BY_SOURCE for attributes that both changed to different values, DROPS_DEST_CHANGES for drops.
    ``columns``: by id the names of the target's.
    """
    if pair.source.dropped:
        yield from _drop_note(pair)
        return
    yield from _rename_note(pair)
    yield from _property_notes(pair)
    yield from _column_notes(pair, columns)


def row_notes(pair: Pair, judged: RowJudgement) -> Iterator[Problem]:
    """What of the source's work on rows that are merged by key found them swept away."""
    by = OperationKind.OVERWRITE if pair.destination.has("overwrite") else OperationKind.PARTITION
    for kind, rows in judged.discarded.items():
        yield discarded_note(kind, by, rows_text(rows), {"rows": rows})


def discarded_note(kind: OperationKind, by: OperationKind, extent: str, details: dict[str, Any]) -> Problem:
    is_delete = kind is OperationKind.DELETE
    note = "A5" if is_delete else "A4"
    return Problem(
        (kind.value, by.value),
        VerdictCode.DISCARDED_DELETE if is_delete else VerdictCode.DISCARDED_UPDATE,
        "P" if by is OperationKind.PARTITION else note,
        f"What the source did to rows that the target took away is discarded ({extent}).",
        details,
    )


def rows_text(rows: int) -> str:
    return counted(rows, "row")


def extent_text(rows: int, emptied: int) -> str:
    """``emptied``: files of which every row was taken."""
    if not emptied:
        return rows_text(rows)
    files = counted(emptied, "whole file")
    return f"{rows_text(rows)} and {files}" if rows else files


def _drop_note(pair: Pair) -> Iterator[Problem]:
    changed = [axis.key for axis in pair.rules.axes if axis.key in pair.destination.versions]
    if pair.destination.created and not changed:
        changed = ["create"]
    if pair.destination.dropped or not changed:
        return
    done = rows_done(pair.destination)
    yield Problem(
        ("drop", changed[0]),
        VerdictCode.DROPS_DEST_CHANGES,
        "",
        f"The source's drop takes with it what the target did since{rows_done_text(done)}.",
        {"operations": changed, **done},
    )


def rows_done(changes: ObjectChanges) -> dict[str, int]:
    """How many rows a side's statements inserted, updated and deleted, those that are not none."""
    data = changes.data
    if not data:
        return {}
    sums = {name: sum(item.metrics.get(name, 0) for item in data) for name in _ROW_METRICS}
    return {name: rows for name, rows in sums.items() if rows}


def rows_done_text(done: Mapping[str, int]) -> str:
    """The same for the end of a sentence: ``: 2 rows inserted, 1 row deleted``."""
    parts = [f"{rows_text(rows)} {name.removeprefix('rows_')}" for name, rows in done.items()]
    return f": {', '.join(parts)}" if parts else ""


def _rename_note(pair: Pair) -> Iterator[Problem]:
    source, target = pair.source.rename, pair.destination.rename
    if source is None or target is None:
        return
    for part in ("name", "database_id"):
        before, wanted, found = (getattr(item, part) for item in (source.before, source.after, target.after))
        if before != wanted and target.before != target.after and found not in (wanted, getattr(target.before, part)):
            shown = [pair.homes.get(value, value) if part == "database_id" else value for value in (wanted, found)]
            yield Problem(
                ("rename", "rename"),
                VerdictCode.OVERRIDDEN_BY_SOURCE,
                "",
                f"The source's {part.replace('_id', '')} {shown[0]} replaces the target's {shown[1]}.",
                {"attribute": part, "source": wanted, "destination": found},
            )


def _property_notes(pair: Pair) -> Iterator[Problem]:
    for key, source in pair.source.properties.items():
        target = pair.destination.properties.get(key)
        if target is None or target.after == source.after:
            continue
        if is_stored(key) and None not in (source.after, target.after):
            # That is a conflict.
            continue
        yield Problem(
            (_property_axis(pair, source.after), _property_axis(pair, target.after)),
            VerdictCode.OVERRIDDEN_BY_SOURCE,
            "",
            f"Source and target changed {property_shown(key)}; the source's value wins.",
            {"property": key, "source": source.after, "destination": target.after},
        )


def _property_axis(pair: Pair, after: str | None) -> str:
    if pair.rules.name != "database":
        return "properties"
    return "unset properties" if after is None else "set properties"


def _column_notes(pair: Pair, columns: Mapping[int, str]) -> Iterator[Problem]:
    for (column_id, attribute), source in pair.source.columns.items():
        name = columns.get(column_id, str(column_id))
        if attribute is ColumnAttribute.EXISTS and source.after is None:
            yield from _dropped_column_note(pair, column_id, source.before["name"])
            continue
        target = pair.destination.columns.get((column_id, attribute))
        if target is None or target.after == source.after:
            continue
        if attribute is ColumnAttribute.POSITION:
            yield _position_note(column_id, name)
            continue
        if attribute in (ColumnAttribute.TYPE, ColumnAttribute.INITIAL_DEFAULT, ColumnAttribute.EXISTS):
            continue
        if attribute is ColumnAttribute.NESTED:
            yield from _field_notes(source, target, name)
            continue
        yield Problem(
            ("column", "column"),
            VerdictCode.OVERRIDDEN_BY_SOURCE,
            "",
            f"Source and target changed the {attribute.value} of column {name};"
            f" the source's {source.after} replaces {target.after}.",
            {
                "column_id": column_id,
                "attribute": attribute.value,
                "source": source.after,
                "destination": target.after,
            },
        )


def _position_note(column_id: int, name: str) -> Problem:
    return Problem(
        ("column", "column"),
        VerdictCode.OVERRIDDEN_BY_SOURCE,
        "",
        f"Source and target moved column {name}; it stands where the source put it.",
        {"column_id": column_id, "attribute": ColumnAttribute.POSITION.value},
    )


def _field_notes(source: ColumnChange, target: ColumnChange, name: str) -> Iterator[Problem]:
    for item in fields_overridden(source, target):
        yield Problem(
            ("column", "column"),
            VerdictCode.OVERRIDDEN_BY_SOURCE,
            "",
            f"Source and target renamed the field {item.path} of column {name}; the source's {item.source} replaces"
            f" {item.destination}.",
            {
                "column_id": source.column_id,
                "attribute": "name",
                "source": item.source,
                "destination": item.destination,
            },
        )
    for path in fields_dropped_over(source, target):
        yield Problem(
            ("column", "column"),
            VerdictCode.DROPS_DEST_CHANGES,
            "",
            f"The source dropped the field {path} of column {name}, which the target changed.",
            {"column": path, "column_id": source.column_id},
        )


def _dropped_column_note(pair: Pair, column_id: int, name: str) -> Iterator[Problem]:
    changed = [a.value for (i, a) in pair.destination.columns if i == column_id and a is not ColumnAttribute.EXISTS]
    if changed:
        yield Problem(
            ("column", "column"),
            VerdictCode.DROPS_DEST_CHANGES,
            "",
            f"The source dropped column {name}, which the target changed.",
            {"column": name, "attributes": changed},
        )
