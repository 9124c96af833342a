"""What the rows of a table were made from, and what was made from them, by the recorded reads of commits."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from catalog_app.domain.roles import Principal
from catalog_app.models import Commit
from catalog_app.selectors.objects import databases_list, databases_load, tables_load
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.views import ViewState, views_list
from lakeui.api.http.lookup import AddressedTable
from merge_app.execution.version_vectors import VersionVector, version_vector_load
from merge_app.pipelines.models import Pipeline
from merge_app.pipelines.selectors import pipelines_list

STEPS = 3
"""Tables that lie at most so many statements before or behind the table are looked for."""
MOST_TABLES = 40
"""No statement is followed beyond so many tables."""

_READS = """
SELECT r.table_id, r.written_id, n.pipeline_id, max(c.version), count(DISTINCT c.id)
FROM catalog_app_commitread r JOIN catalog_app_commit c ON c.id = r.commit_id
JOIN unnest(%(branches)s::bigint[], %(upto)s::bigint[]) AS g(branch_id, upto)
  ON g.branch_id = c.branch_id AND c.version <= g.upto
LEFT JOIN pipelines_pipelinerun n ON n.task_id = c.task_id
WHERE r.{side} = ANY(%(tables)s)
GROUP BY r.table_id, r.written_id, n.pipeline_id
"""


@dataclass(frozen=True, slots=True)
class Read:
    """Statements of one pipeline, or of none, made rows of ``written`` from rows of ``table``."""

    table: int
    written: int
    pipeline: int | None
    version: int
    statements: int


@dataclass
class Found:
    """What the branch reaches of reads around a table. ``is_cut``: there are more tables than are followed."""

    tables: set[int]
    behind: set[int]
    reads: dict[tuple[int, int, int | None], Read] = field(default_factory=dict)
    is_cut: bool = False


def reads_around(version_vector: VersionVector, table_id: int) -> Found:
    """The recorded reads by which rows came to the table and went on, in at most ``2 * STEPS`` queries."""
    found = Found({table_id}, {table_id})
    for side in ("written_id", "table_id"):
        frontier, seen = {table_id}, {table_id}
        for _ in range(STEPS):
            reads = list(_reads(version_vector, side, frontier)) if frontier else []
            others = {read.table if side == "written_id" else read.written for read in reads} - seen
            frontier = set(sorted(others)[: max(0, MOST_TABLES - len(found.tables | seen))])
            found.is_cut |= frontier != others
            seen |= frontier
            found.reads |= {
                (read.table, read.written, read.pipeline): read for read in reads if {read.table, read.written} <= seen
            }
        found.tables |= seen
        # The second of both sides: what was made from the table.
        found.behind = seen
    return found


def _reads(version_vector: VersionVector, side: str, tables: Collection[int]) -> Iterator[Read]:
    parameters = {
        "branches": list(version_vector.keys()),
        "upto": list(version_vector.values()),
        "tables": list(tables),
    }
    return (Read(*row) for row in fetch_all(_READS.format(side=side), parameters))


def lineage_of(place: AddressedTable, principal: Principal) -> dict[str, Any]:
    """Tables, pipelines and views as nodes, and what goes from one into another as edges."""
    found = reads_around(version_vector_load(place.snapshot), place.table.table_id)
    names = _tables(place, found.tables)
    shown = [read for read in found.reads.values() if read.table in names and read.written in names]
    targets = _targets(place, names, principal)
    ran = {read.pipeline for read in shown if read.pipeline is not None}
    pipelines = Pipeline.objects.filter(pk__in=ran | {key for key, _ in targets}).order_by("pk")
    views = list(_views(place, {names[table_id]["name"].casefold() for table_id in found.behind & names.keys()}))
    return {
        "version": place.snapshot.version,
        "node": f"table:{place.table.table_id}",
        "nodes": [*names.values(), *map(_pipeline, pipelines), *(_view(view, database) for view, database, _ in views)],
        "edges": [*_read_edges(shown), *_target_edges(targets, ran), *_view_edges(views, names)],
        "hidden_tables": len(found.tables) - len(names),
        "is_cut": found.is_cut,
        "commits": _commits(place, shown),
    }


def _tables(place: AddressedTable, table_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """The nodes of those that the branch knows; not of tables of other catalogs."""
    states = tables_load(place.snapshot, sorted(table_ids))
    homes = databases_load(place.snapshot, {state.database_id for state in states.values()})
    return {
        table_id: _node("table", table_id, homes[state.database_id].name, state.name)
        | {"is_dropped": state.is_dropped or homes[state.database_id].is_dropped}
        for table_id, state in sorted(states.items())
        if state.database_id in homes
    }


def _node(kind: str, key: int, database: str, name: str) -> dict[str, Any]:
    shown = f"{database}.{name}" if database else name
    return {
        "node": f"{kind}:{key}",
        "kind": kind,
        "name": shown,
        "database": database,
        "object": name,
        "id": key,
        "is_dropped": False,
    }


def _pipeline(pipeline: Pipeline) -> dict[str, Any]:
    return _node("pipeline", pipeline.pk, "", pipeline.name) | {"is_dropped": pipeline.deleted_at is not None}


def _view(view: ViewState, database: str) -> dict[str, Any]:
    assert view.view_id is not None
    return _node("view", view.view_id, database, view.name)


def _targets(place: AddressedTable, names: dict[int, dict[str, Any]], principal: Principal) -> list[tuple[int, int]]:
    """Pipelines of the branch with one of the tables as their target, whether they ran or not."""
    ids = {node["name"].casefold(): table_id for table_id, node in names.items() if not node["is_dropped"]}
    found = pipelines_list(principal, catalog=place.branch.catalog.name, branch=place.branch.name)
    return [
        (key, ids[target])
        for key, database, table in found.values_list("pk", "database", "table")
        if (target := f"{database}.{table}".casefold()) in ids
    ]


def _views(place: AddressedTable, names: set[str]) -> Iterator[tuple[ViewState, str, set[str]]]:
    """Views that read one of the names, or such a view; with the database and with what each reads of these."""
    homes = {state.database_id: state.name for state in databases_list(place.snapshot)}
    left = [(view, homes[view.database_id]) for view in views_list(place.snapshot, homes)]
    known = set(names)
    for _ in range(STEPS):
        new = []
        for view, database in left:
            if reads := {f"{read.database}.{read.table}".casefold() for read in view.reads} & known:
                new.append((view, database, reads))
        yield from new
        left = [item for item in left if item not in [(view, database) for view, database, _ in new]]
        known |= {f"{database}.{view.name}".casefold() for view, database, _ in new}


def _edge(origin: str, target: str, version: int | None, statements: int) -> dict[str, Any]:
    return {"origin": origin, "target": target, "version": version, "statements": statements}


def _read_edges(reads: Collection[Read]) -> list[dict[str, Any]]:
    """From table to table, or by the pipeline between them."""
    edges: dict[tuple[str, str], dict[str, Any]] = {}
    for read in reads:
        ends = [f"table:{read.table}", f"table:{read.written}"]
        if read.pipeline is not None:
            ends.insert(1, f"pipeline:{read.pipeline}")
        for pair in pairwise(ends):
            known = edges.get(pair)
            newest = max(read.version, known["version"] if known else 0)
            # A run reads several tables in one commit.
            edges[pair] = _edge(*pair, newest, max(read.statements, known["statements"] if known else 0))
    return list(edges.values())


def _target_edges(targets: Collection[tuple[int, int]], ran: Collection[int]) -> list[dict[str, Any]]:
    """Of pipelines whose runs recorded nothing yet."""
    return [_edge(f"pipeline:{key}", f"table:{table}", None, 0) for key, table in targets if key not in ran]


def _view_edges(
    views: Collection[tuple[ViewState, str, set[str]]], names: dict[int, dict[str, Any]]
) -> list[dict[str, Any]]:
    nodes = {node["name"].casefold(): node["node"] for node in names.values() if not node["is_dropped"]}
    nodes |= {f"{database}.{view.name}".casefold(): f"view:{view.view_id}" for view, database, _ in views}
    return [
        _edge(nodes[read], f"view:{view.view_id}", None, 0)
        for view, _, reads in views
        for read in sorted(reads)
        if read in nodes
    ]


def _commits(place: AddressedTable, reads: Collection[Read]) -> list[dict[str, Any]]:
    """The newest commit of each edge: where it was made, when, by whom and by which kind of statement."""
    versions = {read.version for read in reads}
    found = Commit.objects.filter(catalog_id=place.branch.catalog_id, version__in=versions).select_related("branch")
    return [
        {
            "version": commit.version,
            "branch": commit.branch.name,
            "time": commit.committed_at,
            "operation": commit.operation,
            "author": commit.author_name,
        }
        for commit in found.order_by("version")
    ]
