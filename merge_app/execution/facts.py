"""File-level facts of the tables whose cells look at files or at nullability, in one query per kind of fact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from catalog_app.selectors.lineage import LINEAGE, Lineage
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import VISIBLE_SEGMENTS, definitions_load
from merge_app.execution.keys import EngineSource, key_clashes
from merge_app.planning.values import FactKind, PlanInput, SchemaCoverage, TableFacts

_PARTITIONS = f"""
WITH {LINEAGE}, visible AS ({VISIBLE_SEGMENTS})
SELECT v.table_id, f.partition, sum(f.rows) FROM visible v JOIN catalog_app_datafile f ON f.id = v.file_id
GROUP BY v.table_id, f.partition
"""

_COVERAGE = f"""
WITH {LINEAGE}, visible AS ({VISIBLE_SEGMENTS}), masks AS (
    SELECT d.segment_id, sum(f.rows) AS rows FROM lineage l JOIN catalog_app_segmentdelete d
      ON d.table_id = ANY(%(table_ids)s) AND d.branch_id = l.branch_id AND d.attached_version <= l.max_version
    JOIN catalog_app_deletefile f ON f.id = d.delete_file_id GROUP BY d.segment_id
)
SELECT v.table_id, v.definition_id, sum(greatest(f.rows - coalesce(m.rows, 0), 0)),
       array_agg(DISTINCT n.key) FILTER (WHERE (n.value ->> 2)::bigint > 0
                                         AND f.rows - coalesce(m.rows, 0) > 0)
FROM visible v JOIN catalog_app_datafile f ON f.id = v.file_id LEFT JOIN masks m ON m.segment_id = v.id
LEFT JOIN LATERAL jsonb_each(f.statistics) n ON true
WHERE {{condition}}
GROUP BY v.table_id, v.definition_id, f.id
"""


def facts_load(
    planned: PlanInput,
    source: Lineage | None,
    destination: Lineage,
    wanted: Mapping[int, set[FactKind]],
    engine: EngineSource,
) -> Mapping[int, TableFacts]:
    """The facts that each table needs."""
    strict = _needing(wanted, FactKind.COVERAGE)
    partitions = _partitions(destination, _needing(wanted, FactKind.PARTITIONS))
    coverage = _coverage(planned, source, destination, strict)
    keyed = _needing(wanted, FactKind.PRIMARY_KEYS)
    clashes = key_clashes(planned, source, destination, keyed, engine)
    return {
        table_id: TableFacts(
            coverage=tuple(coverage.get(table_id, ())),
            destination_partitions=partitions.get(table_id, {}),
            primary_key_clashes=clashes.get(table_id, ()),
        )
        for table_id in wanted
    }


def _needing(wanted: Mapping[int, set[FactKind]], kind: FactKind) -> frozenset[int]:
    return frozenset(table_id for table_id, kinds in wanted.items() if kind in kinds)


def _partitions(lineage: Lineage, tables: frozenset[int]) -> dict[int, dict[tuple[str | None, ...], int]]:
    found: dict[int, dict[tuple[str | None, ...], int]] = defaultdict(dict)
    if tables:
        for table_id, values, rows in fetch_all(_PARTITIONS, {**lineage.parameters, "table_ids": list(tables)}):
            found[table_id][tuple(json_value(values))] = int(rows)
    return found


def _coverage(
    planned: PlanInput, source: Lineage | None, destination: Lineage, tables: frozenset[int]
) -> dict[int, list[SchemaCoverage]]:
    """Rows per schema definition. Of the source, only segments that its own operations added: the rest is shared."""
    found: dict[int, list[SchemaCoverage]] = defaultdict(list)
    if not tables:
        return found
    own = [item.operation_id for item in planned.source if item.operation_id and item.object_id in tables]
    sides: list[tuple[str, Lineage, str, list[int]]] = [("destination", destination, "true", [])]
    if source is not None:
        sides.append(("source", source, "v.operation_id = ANY(%(operations)s)", own))
    for side, lineage, condition, operations in sides:
        parameters = {**lineage.parameters, "table_ids": list(tables), "operations": operations}
        rows = fetch_all(_COVERAGE.format(condition=condition), parameters)
        schemas = definitions_load({row[1] for row in rows})
        for table_id, definition_id, live, nulls in rows:
            columns = frozenset(int(key) for key in nulls or ())
            found[table_id].append(SchemaCoverage(side, schemas[definition_id], int(live), columns))
    return found
