"""Databases and tables as a branch shows them at a version: one query each, at any depth of branches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.selectors.attribute_facts import newest_attributes
from catalog_app.selectors.rows import array_text, fetch_all, json_value
from catalog_app.selectors.snapshots import SNAPSHOT, SNAPSHOTS, Snapshot, snapshots_parameters
from lakeui.common.errors import NotFound
from lakeui.common.nearest import nearest_name

VISIBLE = (
    "r.branch_id = l.branch_id AND r.version <= l.max_version"
    " AND (r.superseded_version IS NULL OR r.superseded_version > l.max_version)"
)
"""Which records ``r`` of an object the chain ``l`` sees; the nearest of them counts."""

_DATABASES = f"""
WITH {SNAPSHOT}
SELECT DISTINCT ON (r.database_id) r.database_id, r.name, r.comment, r.properties, r.is_dropped
FROM snapshot l JOIN catalog_app_databaserecord r ON {VISIBLE}
WHERE {{where}}
ORDER BY r.database_id, l.depth
"""

_RECORD = f"""record AS (
    SELECT DISTINCT ON (r.table_id) r.*
    FROM snapshot l JOIN catalog_app_tablerecord r ON {VISIBLE}
    WHERE {{where}}
    ORDER BY r.table_id, l.depth
)"""

_STATE = """
record.table_id, record.database_id, record.name, record.comment, record.properties, record.declared_partitions,
record.is_dropped, entry.version, entry.definition_id
"""
_TABLE = f"{_STATE}, definition.content"

_SCHEMA = """
CROSS JOIN LATERAL (
    SELECT h.version, h.definition_id FROM snapshot l JOIN catalog_app_tableschemahistory h
      ON h.branch_id = l.branch_id AND h.table_id = record.table_id AND h.version <= l.max_version
    ORDER BY l.depth, h.version DESC LIMIT 1
) entry
LEFT JOIN catalog_app_schemadefinition definition
  ON definition.id = entry.definition_id AND definition.id <> ALL(%(known)s::bigint[])
"""

_TABLES = f"WITH {SNAPSHOT}, {_RECORD} SELECT {_TABLE} FROM record {_SCHEMA}"

_CANDIDATES = (
    "r.{identity} IN (SELECT c.{identity} FROM snapshot k JOIN catalog_app_{table} c"
    " ON c.branch_id = k.branch_id AND c.version <= k.max_version WHERE {condition})"
)
"""By name, the ids that ever bore it on the chain. What they are called now is judged on the nearest record."""

_HOME_WHERE = _CANDIDATES.format(identity="database_id", table="databaserecord", condition="c.name_key = %(database)s")
_TABLE_WHERE = _CANDIDATES.format(
    identity="table_id",
    table="tablerecord",
    condition="c.name_key = %(table)s AND c.database_id IN (SELECT home.database_id FROM home)",
)
_IN_DATABASE = f"""
WITH {SNAPSHOT}, home AS MATERIALIZED ({_DATABASES.format(where=_HOME_WHERE)}), {_RECORD.format(where=_TABLE_WHERE)}
SELECT home.*, {_TABLE}
FROM record JOIN home ON home.database_id = record.database_id AND NOT home.is_dropped {_SCHEMA}
"""
"""Tables that ever bore a name in databases that ever bore one, with these databases."""

_NONE: frozenset[PartitionValues] = frozenset()

FEW = 20
"""Ids or names up to which a query's plan is kept."""


def databases_load(snapshot: Snapshot, database_ids: Iterable[int]) -> dict[int, DatabaseState]:
    """The states, dropped ones included, of those databases that the chain knows."""
    ids = list(database_ids)
    return _databases(snapshot, "r.database_id = ANY(%(ids)s)", ids=ids) if ids else {}


def databases_named(snapshot: Snapshot, names: Iterable[str]) -> dict[int, DatabaseState]:
    """The valid databases with one of these names."""
    keys = [name.casefold() for name in names]
    if not keys:
        return {}
    where = _CANDIDATES.format(identity="database_id", table="databaserecord", condition="c.name_key = ANY(%(keys)s)")
    found = _databases(snapshot, where, keys=keys)
    return {i: state for i, state in found.items() if not state.is_dropped and state.name.casefold() in keys}


def databases_list(snapshot: Snapshot) -> list[DatabaseState]:
    """The valid databases, by name."""
    states = _databases(snapshot, "true").values()
    return sorted((state for state in states if not state.is_dropped), key=lambda state: state.name.casefold())


def _databases(snapshot: Snapshot, where: str, **parameters: list[Any]) -> dict[int, DatabaseState]:
    rows = fetch_all(
        _DATABASES.format(where=where), {**snapshot.parameters, **parameters}, prepared=_finds_few(parameters)
    )
    return {row[0]: _database_state(row) for row in rows}


def _database_state(row: tuple[Any, ...]) -> DatabaseState:
    return DatabaseState(row[0], row[1], row[2], json_value(row[3]), row[4])


def database_get(snapshot: Snapshot, name: str) -> DatabaseState:
    """The valid database of that name; NotFound with the nearest one otherwise."""
    for state in databases_named(snapshot, [name]).values():
        return state
    raise NotFound("database", name, nearest=nearest_name(name, [item.name for item in databases_list(snapshot)]))


def tables_load(
    snapshot: Snapshot, table_ids: Iterable[int], *, schemas: dict[int, Schema] | None = None
) -> dict[int, TableState]:
    """The states, dropped ones included, of those tables that the chain knows. ``schemas`` by the ids of their
    definitions are shared with it, and gain those that it did not hold: two chains mostly hold the same ones.
    """
    ids = list(table_ids)
    return _tables(snapshot, "r.table_id = ANY(%(ids)s)", schemas, ids=ids) if ids else {}


def tables_named(snapshot: Snapshot, names: Iterable[tuple[int, str]]) -> dict[int, TableState]:
    """The valid tables with one of these (database id, name) pairs. Whether the database is valid is not looked at."""
    wanted = {(database_id, name.casefold()) for database_id, name in names}
    if not wanted:
        return {}
    where = _CANDIDATES.format(
        identity="table_id",
        table="tablerecord",
        condition="(c.database_id, c.name_key) IN (SELECT * FROM unnest(%(databases)s::bigint[], %(keys)s::text[]))",
    )
    databases, keys = zip(*sorted(wanted), strict=True)
    found = _tables(snapshot, where, databases=list(databases), keys=list(keys))
    return {
        i: state
        for i, state in found.items()
        if not state.is_dropped and (state.database_id, state.name.casefold()) in wanted
    }


def tables_list(snapshot: Snapshot, database_ids: Iterable[int]) -> list[TableState]:
    """The valid tables of these databases, by database and name."""
    ids = list(database_ids)
    where = _CANDIDATES.format(identity="table_id", table="tablerecord", condition="c.database_id = ANY(%(databases)s)")
    found = _tables(snapshot, where, databases=ids).values()
    valid = (state for state in found if not state.is_dropped and state.database_id in ids)
    return sorted(valid, key=lambda state: (state.database_id, state.name.casefold()))


_STATES = f"""
WITH {SNAPSHOTS}, record AS MATERIALIZED (
    SELECT DISTINCT ON (l.place, r.table_id) l.place, r.*
    FROM snapshots l JOIN catalog_app_tablerecord r ON {VISIBLE}
    WHERE r.table_id = ANY(%(tables)s)
    ORDER BY l.place, r.table_id, l.depth
)
SELECT 'table', record.place, {_STATE}, CASE row_number() OVER (PARTITION BY entry.definition_id ORDER BY record.place)
       WHEN 1 THEN definition.content END
FROM record CROSS JOIN LATERAL (
    SELECT h.version, h.definition_id FROM snapshots l JOIN catalog_app_tableschemahistory h
      ON h.branch_id = l.branch_id AND h.table_id = record.table_id AND h.version <= l.max_version
    WHERE l.place = record.place
    ORDER BY l.depth, h.version DESC LIMIT 1
) entry LEFT JOIN catalog_app_schemadefinition definition ON definition.id = entry.definition_id
UNION ALL
SELECT 'database', home.place, home.database_id, NULL, home.name, home.comment, home.properties, NULL, home.is_dropped,
       NULL, NULL, NULL
FROM (
    SELECT DISTINCT ON (l.place, r.database_id)
           l.place, r.database_id, r.name, r.comment, r.properties, r.is_dropped
    FROM snapshots l JOIN catalog_app_databaserecord r ON {VISIBLE}
    WHERE r.database_id = ANY(%(databases)s) OR r.database_id IN (SELECT database_id FROM record)
    ORDER BY l.place, r.database_id, l.depth
) home
"""


@dataclass(frozen=True, slots=True)
class States:
    """Databases and tables of one chain, dropped ones included, by id."""

    databases: dict[int, DatabaseState] = field(default_factory=dict)
    tables: dict[int, TableState] = field(default_factory=dict)


def states_load(
    databases: Collection[int], tables: Collection[int], schemas: dict[int, Schema], *snapshots: Snapshot
) -> list[States]:
    """By chain the states of those of these databases and tables that it knows, and of the databases that any of the
    chains has such a table in, in one query. ``schemas``: see ``tables_load``.
    """
    found = [States() for _ in snapshots]
    if not (databases or tables):
        return found
    asked = {**snapshots_parameters(*snapshots), "databases": array_text(databases), "tables": array_text(tables)}
    few = len(databases) + len(tables) <= FEW
    # The text of a definition comes once.
    for kind, place, *row in sorted(fetch_all(_STATES, asked, prepared=few), key=lambda row: row[-1] is None):
        if kind == "table":
            found[place].tables[row[0]] = _table_state(tuple(row), schemas)
        else:
            found[place].databases[row[0]] = _database_state((row[0], *row[2:5], row[6]))
    return [States(states.databases, dict(sorted(states.tables.items()))) for states in found]


def _finds_few(parameters: Mapping[str, list[Any]]) -> bool:
    """Whether objects are asked for by few ids or names: such a query has one good plan."""
    asked = parameters.get("ids") or parameters.get("keys")
    return asked is not None and len(asked) <= FEW


def _tables(
    snapshot: Snapshot, where: str, schemas: dict[int, Schema] | None = None, **parameters: list[Any]
) -> dict[int, TableState]:
    known = {} if schemas is None else schemas
    asked = {**snapshot.parameters, **parameters, "known": list(known)}
    rows = fetch_all(_TABLES.format(where=where), asked, prepared=_finds_few(parameters))
    return {row[0]: _table_state(row, known) for row in rows}


def _table_state(row: tuple[Any, ...], known: dict[int, Schema]) -> TableState:
    return TableState(
        table_id=row[0],
        database_id=row[1],
        name=row[2],
        comment=row[3],
        properties=json_value(row[4]),
        declared_partitions=frozenset(tuple(values) for values in json_value(row[5])) if row[5] != "[]" else _NONE,
        is_dropped=row[6],
        schema_version=row[7],
        schema=_schema(row[8], row[9], known),
    )


def _schema(definition_id: int, text: str, known: dict[int, Schema]) -> Schema:
    found = known.get(definition_id)
    if found is None:
        found = known[definition_id] = Schema.from_text(text)
    return found


_DROPS = f"""
WITH {SNAPSHOT}, record AS (
    SELECT DISTINCT ON (r.{{identity}}) r.*
    FROM snapshot l JOIN catalog_app_{{table}} r ON {VISIBLE}
    ORDER BY r.{{identity}}, l.depth
)
SELECT record.{{identity}}, record.version, record.branch_id, record.database_id
FROM record JOIN catalog_app_branch b ON b.id = record.branch_id
WHERE record.is_dropped AND record.version > greatest(%(since)s, b.oldest_version)
ORDER BY record.version DESC, record.{{identity}}
"""


def databases_dropped(snapshot: Snapshot, *, since: int = 0) -> list[DatabaseState]:
    """Databases that the chain shows as dropped after version ``since``, the last dropped first. What was dropped
    longer ago than the retention is not among them.
    """
    query = _DROPS.format(identity="database_id", table="databaserecord")
    ids = [row[0] for row in fetch_all(query, {**snapshot.parameters, "since": since})]
    states = databases_load(snapshot, ids)
    return [states[identity] for identity in ids]


def tables_dropped(snapshot: Snapshot, database_id: int, *, since: int = 0) -> list[TableState]:
    """Tables of a database that were dropped themselves after version ``since``, the last dropped first."""
    ids = [row[0] for row in _table_drops(snapshot, since) if row[3] == database_id]
    states = tables_load(snapshot, ids)
    return [states[identity] for identity in ids]


def tables_dropped_with(snapshot: Snapshot, database_id: int) -> list[TableState]:
    """Tables of a dropped database that are gone with it alone: their own facts say that they exist (lineage R4)."""
    dropped = tables_dropped(snapshot, database_id)
    facts = newest_attributes(snapshot, [(ObjectKind.TABLE, state.table_id) for state in dropped])
    return [
        state
        for state in dropped
        if (exists := facts.get((ObjectKind.TABLE, state.table_id), {}).get("exists")) is not None and exists.value
    ]


def _table_drops(snapshot: Snapshot, since: int) -> list[tuple[Any, ...]]:
    """(table id, version, branch id, database id) of each drop, the last first."""
    return fetch_all(_DROPS.format(identity="table_id", table="tablerecord"), {**snapshot.parameters, "since": since})


def table_get(snapshot: Snapshot, database: DatabaseState, name: str) -> TableState:
    """The valid table of that name; NotFound with the nearest one otherwise."""
    for state in tables_named(snapshot, [(database.database_id, name)]).values():
        return state
    names = [state.name for state in tables_list(snapshot, [database.database_id])]
    nearest = nearest_name(name, names)
    raise NotFound("table", f"{database.name}.{name}", nearest=f"{database.name}.{nearest}" if nearest else None)


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table in its database, with the definition that its schema was written under."""

    database: DatabaseState
    table: TableState
    definition_id: int


def table_find(snapshot: Snapshot, database: str, table: str) -> FoundTable:
    """The valid table of these names, in one query; NotFound with the nearest ones otherwise."""
    keys = {"database": database.casefold(), "table": table.casefold()}
    for row in fetch_all(_IN_DATABASE, {**snapshot.parameters, **keys, "known": []}, prepared=True):
        holder, state = _database_state(row[:5]), _table_state(row[5:], {})
        names = {"database": holder.name.casefold(), "table": state.name.casefold()}
        if names == keys and not state.is_dropped:
            return FoundTable(holder, state, row[13])
    return _missing(snapshot, database, table)


def _missing(snapshot: Snapshot, database: str, table: str) -> NoReturn:
    found = database_get(snapshot, database)
    table_get(snapshot, found, table)
    raise AssertionError(f"{database}.{table} is there by two queries and not by one")
