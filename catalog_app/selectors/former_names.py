"""Names that ended: of what was renamed or dropped, found by what people remember of it.

A name ends with the record that supersedes the last one of that name, on one branch. What still has it where it is
shown is no result. Of the ended names that match, the first ``CANDIDATES`` are looked at, whatever the lake holds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.db.models import F, Func, TextField, Value

from catalog_app.models import Branch
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.search import (
    COLUMN_WORDS,
    HOLDS_WORD,
    IN_HOME,
    NEARER,
    OF_DATABASES,
    TABLE_WORDS,
    VALID,
    Found,
    Wanted,
    closeness,
    is_match,
    nearest,
    own_name,
    parameters_of,
)

LOOKED_AT = 1000
"""So many superseded records that match are compared with their successors: most of them only changed a comment."""

Known = Collection[tuple[str, int, str]]
"""Kind, object and column of what the search found under its present name."""


def _ended(record: str, key: str, matches: str) -> str:
    """The last record of each object under a name that it lost, with the version that ended the name."""
    return f"""
WITH past AS MATERIALIZED (
    SELECT r.{key} AS id, r.branch_id, r.name, r.name_key, r.superseded_version AS until
    FROM {record} r WHERE r.superseded_version IS NOT NULL AND NOT r.is_dropped AND {matches} LIMIT %(looked_at)s
), ended AS (
    SELECT DISTINCT ON (r.id) r.* FROM past r {VALID}
    JOIN LATERAL (
        SELECT n.is_dropped, n.name_key FROM {record} n
        WHERE n.branch_id = r.branch_id AND n.{key} = r.id AND n.version = r.until LIMIT 1
    ) n ON n.is_dropped OR n.name_key <> r.name_key
    ORDER BY r.id, {NEARER}, r.until DESC LIMIT %(candidates)s
), placed AS MATERIALIZED (
    SELECT e.id, e.name, e.until, CASE WHEN own.is_dropped IS FALSE THEN x.id ELSE e.branch_id END AS branch_id
    FROM ended e
    LEFT JOIN catalog_app_branch x ON x.id = %(branch)s
    LEFT JOIN {nearest(record, key, "e.id", "x")} own ON true
)
"""


def _of_database(record: str, key: str, matches: str) -> str:
    return f"""{_ended(record, key, matches)}
SELECT p.id, h.name, t.name, s.name, k.name, p.name, CASE WHEN t.is_dropped THEN t.version ELSE p.until END,
       t.is_dropped
FROM placed p
JOIN catalog_app_branch s ON s.id = p.branch_id
JOIN catalog_app_catalog k ON k.id = s.catalog_id
JOIN {nearest(record, key, "p.id", "s")} t ON NOT t.is_dropped OR t.version > s.oldest_version
JOIN {nearest("catalog_app_databaserecord", "database_id", "t.database_id", "s")} h ON true
WHERE {IN_HOME}
"""


_DATABASES = f"""{_ended("catalog_app_databaserecord", "database_id", OF_DATABASES)}
SELECT p.id, t.name, '', s.name, k.name, p.name, CASE WHEN t.is_dropped THEN t.version ELSE p.until END, t.is_dropped
FROM placed p
JOIN catalog_app_branch s ON s.id = p.branch_id
JOIN catalog_app_catalog k ON k.id = s.catalog_id
JOIN {nearest("catalog_app_databaserecord", "database_id", "p.id", "s")} t
    ON NOT t.is_dropped OR t.version > s.oldest_version
"""
_TABLES = _of_database("catalog_app_tablerecord", "table_id", f"{TABLE_WORDS} @@ %(words)s::tsquery")
_VIEWS = _of_database("catalog_app_viewrecord", "view_id", HOLDS_WORD)

_NAME_BY_ID = "jsonb_path_query_first({0}.content, '$.columns[*] ? (@.id == $id)', jsonb_build_object('id', c.id))"
_COLUMNS = f"""
WITH matching AS MATERIALIZED (
    SELECT d.id, d.content FROM catalog_app_schemadefinition d
    WHERE {COLUMN_WORDS} @@ %(words)s::tsquery LIMIT %(candidates)s
), ended AS (
    SELECT DISTINCT ON (r.table_id, c.id) r.table_id AS id, r.branch_id, c.id AS column_id, c.name, n.version AS until
    FROM matching m JOIN catalog_app_tableschemahistory r ON r.definition_id = m.id {VALID}
    CROSS JOIN LATERAL jsonb_to_recordset(m.content -> 'columns') AS c(id int, name text)
    LEFT JOIN LATERAL (
        SELECT v.version, d.content FROM catalog_app_tableschemahistory v
        JOIN catalog_app_schemadefinition d ON d.id = v.definition_id
        WHERE v.branch_id = r.branch_id AND v.table_id = r.table_id AND v.version > r.version
        ORDER BY v.version LIMIT 1) n ON true
    WHERE strpos(lower(c.name), %(first_word)s) > 0
      AND (n.version IS NULL OR {_NAME_BY_ID.format("n")} ->> 'name' IS DISTINCT FROM c.name)
    ORDER BY r.table_id, c.id, {NEARER}, n.version DESC NULLS LAST
), placed AS MATERIALIZED (
    SELECT e.*, CASE WHEN own.is_dropped IS FALSE THEN x.id ELSE e.branch_id END AS place_id
    FROM ended e
    LEFT JOIN catalog_app_branch x ON x.id = %(branch)s
    LEFT JOIN {nearest("catalog_app_tablerecord", "table_id", "e.id", "x")} own ON true
), shown AS (
    SELECT c.table_id AS id, h.name AS database, t.name AS table, s.name AS branch, k.name AS catalog, c.name, c.until,
           t.is_dropped, t.version, {_NAME_BY_ID.format("d")} ->> 'name' AS now
    FROM (SELECT p.id AS table_id, p.column_id AS id, p.name, p.until, p.place_id FROM placed p) c
    JOIN catalog_app_branch s ON s.id = c.place_id
    JOIN catalog_app_catalog k ON k.id = s.catalog_id
    JOIN {nearest("catalog_app_tablerecord", "table_id", "c.table_id", "s")} t
        ON NOT t.is_dropped OR t.version > s.oldest_version
    JOIN {nearest("catalog_app_databaserecord", "database_id", "t.database_id", "s")} h ON {IN_HOME}
    JOIN {nearest("catalog_app_tableschemahistory", "table_id", "c.table_id", "s")} y ON true
    JOIN catalog_app_schemadefinition d ON d.id = y.definition_id
)
SELECT id, database, "table", branch, catalog, name, now,
       CASE WHEN is_dropped AND now IS NOT NULL THEN version ELSE until END, is_dropped
FROM shown WHERE is_dropped OR now IS DISTINCT FROM name
"""


def former_names(kind: str, wanted: Wanted, known: Known) -> list[Found]:
    """What had a name that is searched for and lost it: all but what is ``known`` already, the closest first."""
    found = [item for item in _SEARCHES[kind](wanted) if (kind, item.object_id, item.column) not in known]
    return sorted(found, key=lambda item: (*closeness(item.former_name or own_name(item), wanted.name), item.label))


def _databases(wanted: Wanted) -> Iterable[Found]:
    return _objects("database", _DATABASES, wanted)


def _tables(wanted: Wanted) -> Iterable[Found]:
    return _objects("table", _TABLES, wanted) if wanted.words else ()


def _views(wanted: Wanted) -> Iterable[Found]:
    return _objects("view", _VIEWS, wanted) if wanted.words else ()


def _objects(kind: str, query: str, wanted: Wanted) -> Iterable[Found]:
    for pk, database, name, branch, catalog, former, until, is_dropped in fetch_all(query, _parameters(wanted)):
        now = name or database
        if not is_match(former, wanted.name):
            continue
        yield Found(
            kind,
            f"{database}.{name}" if name else database,
            catalog,
            branch,
            database,
            table=name if kind == "table" else "",
            view=name if kind == "view" else "",
            former_name="" if former.casefold() == now.casefold() else former,
            # A branch that was made before the name ended shows the object under it.
            until_version=None if former.casefold() == now.casefold() and not is_dropped else until,
            is_dropped=is_dropped,
            in_trash=is_dropped and kind != "view",
            object_id=pk,
        )


def _columns(wanted: Wanted) -> Iterable[Found]:
    if not wanted.words:
        return
    for row in fetch_all(_COLUMNS, _parameters(wanted)):
        pk, database, table, branch, catalog, former, now, until, is_table_dropped = row
        if not is_match(former, wanted.name):
            continue
        name = now or former
        yield Found(
            "column",
            f"{database}.{table}.{name}",
            catalog,
            branch,
            database,
            table,
            column=name,
            former_name="" if former == name else former,
            until_version=until,
            is_dropped=is_table_dropped or now is None,
            in_trash=is_table_dropped,
            object_id=pk,
        )


def _branches(wanted: Wanted) -> Iterable[Found]:
    """Those that were renamed, and those that can be undropped."""
    branches = Branch.objects.filter(
        catalog__in=wanted.catalog_ids, catalog__dropped_at__isnull=True, expired_at__isnull=True, is_workspace=False
    ).select_related("catalog")
    # Two queries, as each has an index of its own.
    gone = branches.filter(dropped_at__isnull=False, name__icontains=wanted.text).order_by("-dropped_at", "-pk")
    names = Func(F("former_names"), Value("\n"), function="array_to_string", output_field=TextField())
    renamed = (
        branches.exclude(former_names=[])
        .exclude(name__icontains=wanted.text)
        .annotate(were=names)
        .filter(were__icontains=wanted.text)
        .order_by("-pk")
    )
    for branch in (*gone[: wanted.limit], *renamed[: wanted.limit]):
        is_dropped = branch.dropped_at is not None
        yield Found(
            "branch",
            branch.name,
            branch.catalog.name,
            branch.name,
            former_name=_last_match(branch, wanted.text.casefold()),
            is_dropped=is_dropped,
            in_trash=is_dropped,
            object_id=branch.pk,
        )


def _last_match(branch: Branch, text: str) -> str:
    """The newest of the names that a branch had and that hold the text; empty where its present one does."""
    names = [branch.name, *reversed(branch.former_names)]
    match = next((name for name in names if text in name.casefold()), branch.name)
    return "" if match == branch.name else match


def _parameters(wanted: Wanted) -> dict[str, object]:
    return {**parameters_of(wanted), "looked_at": LOOKED_AT}


_SEARCHES = {"branch": _branches, "database": _databases, "table": _tables, "view": _views, "column": _columns}
KINDS = tuple(_SEARCHES)
