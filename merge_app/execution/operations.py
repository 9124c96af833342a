"""The operations of one side of a merge, from the history (semantics P6, P7)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from catalog_app.domain.operation_json import change_from_json, scope_from_json
from catalog_app.domain.operations import DATA_KINDS, OBJECT_KINDS, OPERATION_KINDS, Change, Operation
from catalog_app.selectors.rows import array_text, fetch_all, json_value
from merge_app.execution.version_vectors import Ranges, VersionVector, reach_parameters

FEW_VERSIONS = 100
"""A range up to which the plan that PostgreSQL keeps for the query is a good one."""

_OPERATIONS = """
WITH ranges AS (
    SELECT * FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS r(branch_id, after, upto)
)
SELECT o.id, o.kind, o.object_kind, o.object_id, o.changes, o.created, o.overwrite, o.metrics, o.version,
       b.name, c.statement, coalesce(o.origin_id, o.id), o.origin_branch_id, o.origin_version
FROM ranges r
JOIN catalog_app_commitoperation o ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
JOIN catalog_app_commit c ON c.id = o.commit_id
JOIN catalog_app_branch b ON b.id = o.branch_id
WHERE o.object_kind <> 'view' AND NOT EXISTS (
    SELECT 1 FROM unnest(%(reached)s::bigint[], %(reached_upto)s::bigint[]) AS q(branch_id, upto)
    WHERE q.branch_id = o.origin_branch_id AND q.upto >= o.origin_version) {condition}
ORDER BY o.version, o.id
"""

_OF_OBJECTS = """AND ((o.object_kind = 'database' AND o.object_id = ANY(%(databases)s))
    OR (o.object_kind = 'table' AND o.object_id = ANY(%(tables)s)))"""


_OTHERS = """
SELECT 1 FROM unnest(%(branches)s::bigint[], %(after)s::bigint[], %(upto)s::bigint[]) AS r(branch_id, after, upto)
JOIN catalog_app_commitoperation o ON o.branch_id = r.branch_id AND o.version > r.after AND o.version <= r.upto
WHERE o.kind <> ALL(%(of_rows)s) LIMIT 1
"""


def are_of_rows(ranges: Ranges) -> bool:
    """Whether the operations in these ranges changed rows of tables, and nothing else."""
    return not fetch_all(_OTHERS, {**ranges.parameters, "of_rows": [kind.value for kind in DATA_KINDS]}, prepared=True)


def operations_load(
    ranges: Ranges,
    other: VersionVector,
    *,
    databases: Collection[int] | None = None,
    tables: Collection[int] = (),
) -> tuple[Operation, ...]:
    """The operations in these ranges whose origin the other side does not reach, in commit order.

    With ``databases`` given, only those on these databases and ``tables``. File effects are left out. What is left of
    attributes, and of rows, facts say.
    """
    if not ranges:
        return ()
    parameters = {
        **ranges.parameters,
        **reach_parameters("reached", other),
        "databases": array_text(databases or ()),
        "tables": array_text(tables),
    }
    condition = "" if databases is None else _OF_OBJECTS
    versions = sum(upto - after for _, after, upto in ranges)
    rows = fetch_all(_OPERATIONS.format(condition=condition), parameters, prepared=versions <= FEW_VERSIONS)
    known: dict[str, tuple[Change, ...]] = {}
    return tuple(_operation(row, known) for row in rows)


def _operation(row: tuple[Any, ...], known: dict[str, tuple[Change, ...]]) -> Operation:
    """``known`` changes by their JSON are shared, and gain these: a statement mostly does the same to many objects."""
    changes = known.get(row[4])
    if changes is None:
        changes = known[row[4]] = tuple(change_from_json(value) for value in json_value(row[4]))
    return Operation(
        operation_id=row[0],
        kind=OPERATION_KINDS[row[1]],
        object_kind=OBJECT_KINDS[row[2]],
        object_id=row[3],
        changes=changes,
        created=json_value(row[5]),
        overwrite=scope_from_json(json_value(row[6])),
        metrics=json_value(row[7]),
        version=row[8],
        branch=row[9],
        statement=row[10],
        origin_id=row[11],
        origin=(row[12], row[13]),
    )
