"""Names of a lake's things by what people remember of them: one query a kind, whatever the size of the lake.

A name matches if it holds the text, or if each word of the text begins one of its words: ``air del`` finds
``airline_delays``. Tables and columns are looked up by an index, so of them only words and the beginning count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q
from django.db.models.functions import Length

from catalog_app.models import Branch, Catalog, Tag
from catalog_app.selectors.rows import fetch_all, json_value

_WORDS = re.compile(r"[^\W_]+")
LAST_CHARACTER = "\U0010ffff"
CANDIDATES = 200
"""So many tables and definitions are looked at for one search; more that match equally well are left out."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched for, and where: in one catalog or all of ``visible``, the ids of those that exist for whoever
    asks; ``branch`` is that on which objects are shown if they are there. ``limit`` is of each kind.
    """

    text: str
    limit: int
    visible: frozenset[int]
    catalog: Catalog | None = None
    branch: Branch | None = None

    @property
    def catalog_ids(self) -> list[int]:
        """The catalogs that are searched."""
        return sorted(self.visible) if self.catalog is None else [self.catalog.pk]

    @property
    def database(self) -> str:
        """What stands before the last dot, folded: the beginning of a database's name."""
        return self.text.rpartition(".")[0].rpartition(".")[2].strip().casefold()

    @property
    def name(self) -> str:
        """What stands behind it, folded."""
        return self.text.rpartition(".")[2].strip().casefold()

    @property
    def words(self) -> list[str]:
        return _WORDS.findall(self.name)


@dataclass(frozen=True, slots=True)
class Found:
    """Something by its name. Empty members are no part of its address; ``version`` is a tag's.

    ``former_name``: what it was called when it had the name that was searched for; empty where it has that name now.
    ``until_version``: the commit that renamed or dropped it. ``in_trash``: UNDROP brings it back, with its table if it
    is a column. ``object_id`` is that of a branch, database, table or view.
    """

    kind: str
    label: str
    catalog: str
    branch: str = ""
    database: str = ""
    table: str = ""
    view: str = ""
    column: str = ""
    tag: str = ""
    merge_id: str = ""
    version: int | None = None
    former_name: str = ""
    until_version: int | None = None
    is_dropped: bool = False
    in_trash: bool = False
    object_id: int = 0


def is_match(name: str, text: str) -> bool:
    """Whether a name is one that the text asks for."""
    folded = name.casefold()
    held, asked = _WORDS.findall(folded), _WORDS.findall(text.casefold())
    return text.casefold() in folded or (bool(asked) and all(any(h.startswith(a) for h in held) for a in asked))


def closeness(name: str, text: str) -> tuple[int, int, str]:
    """What sorts matches: the same name, then those that begin like it, then the shorter ones."""
    folded, wanted = name.casefold(), text.casefold()
    rank = 0 if folded == wanted else 1 if folded.startswith(wanted) else 2
    return rank, len(folded), folded


def own_name(item: Found) -> str:
    """The name without those of the objects that it is in."""
    return item.column or item.table or item.view or item.label


def catalogs_search(wanted: Wanted) -> list[Found]:
    found = Catalog.objects.filter(pk__in=wanted.catalog_ids, dropped_at__isnull=True, name__icontains=wanted.text)
    return [Found("catalog", item.name, item.name) for item in found.order_by(Length("name"), "pk")[: wanted.limit]]


def branches_search(wanted: Wanted) -> list[Found]:
    found = Branch.objects.filter(_of_catalog(wanted), dropped_at__isnull=True, is_workspace=False)
    found = found.filter(name__icontains=wanted.text).select_related("catalog")
    rows = found.order_by(Length("name"), F("head_version").desc())[: wanted.limit]
    return [Found("branch", item.name, item.catalog.name, item.name, object_id=item.pk) for item in rows]


def tags_search(wanted: Wanted) -> list[Found]:
    found = Tag.objects.filter(_of_catalog(wanted), name__icontains=wanted.text).select_related("catalog", "branch")
    rows = found.order_by(Length("name"), "-pk")[: wanted.limit]
    return [
        Found("tag", item.name, item.catalog.name, item.branch.name, tag=item.name, version=item.version)
        for item in rows
    ]


def _of_catalog(wanted: Wanted) -> Q:
    return Q(catalog__in=wanted.catalog_ids, catalog__dropped_at__isnull=True)


VALID = """
    JOIN catalog_app_branch b ON b.id = r.branch_id AND b.dropped_at IS NULL AND NOT b.is_workspace
      AND b.catalog_id = ANY(%(catalogs)s)
    JOIN catalog_app_catalog k ON k.id = b.catalog_id AND k.dropped_at IS NULL
"""
"""Branches that whoever asks can look at, and their catalogs."""

_CURRENT = "r.superseded_version IS NULL AND NOT r.is_dropped"
_BEGINS = 'r.name_key COLLATE "C" >= %(name)s AND r.name_key COLLATE "C" < %(behind)s'
IN_HOME = "(%(database)s = '' OR starts_with(h.name_key, %(database)s))"
NEARER = "(b.id = %(branch)s) DESC, (b.parent_id IS NULL) DESC, b.id"
"""Of the branches that have a record of one object: the one looked at, main, the oldest."""


def nearest(record: str, key: str, identity: str, branch: str) -> str:
    """The record of an object that a branch sees at its head."""
    return f"""LATERAL (
        SELECT n.* FROM unnest(array_prepend({branch}.id, {branch}.ancestor_branches),
                               array_prepend({branch}.head_version, {branch}.ancestor_limits))
            WITH ORDINALITY AS l(branch_id, max_version, depth)
        JOIN {record} n ON n.branch_id = l.branch_id AND n.{key} = {identity} AND n.version <= l.max_version
        ORDER BY l.depth, n.version DESC LIMIT 1)"""


def _dropped(record: str, key: str, matches: str) -> str:
    """Objects that one branch dropped, each with a branch that was made before and has it: of ``matches``, so many as
    are shown, the newest drop first. Of many branches the last ones made before the drop are looked at.
    """
    cut = "b.ancestor_limits[array_position(b.ancestor_branches, r.branch_id)]"
    return f"""
        SELECT r.{key}, y.id AS branch_id
        FROM (SELECT r.{key}, r.branch_id, r.version, b.catalog_id FROM {record} r {VALID}
              WHERE r.superseded_version IS NULL AND r.is_dropped AND {matches}
              ORDER BY r.version DESC LIMIT %(limit)s) r
        JOIN LATERAL (
            SELECT b.id FROM (
                SELECT b.*, {cut} AS cut FROM catalog_app_branch b
                WHERE b.catalog_id = r.catalog_id AND b.dropped_at IS NULL AND NOT b.is_workspace AND {cut} < r.version
                ORDER BY (b.id = %(branch)s) DESC, cut DESC, b.id LIMIT %(limit)s) b
            JOIN {nearest(record, key, f"r.{key}", "b")} n ON NOT n.is_dropped
            ORDER BY (b.id = %(branch)s) DESC, b.cut DESC, b.id LIMIT 1) y ON true
    """


HOLDS_WORD = "strpos(r.name_key, %(first_word)s) > 0"
OF_DATABASES = "strpos(r.name_key, %(name)s) > 0 AND %(database)s = ''"
_DATABASES = f"""
WITH candidate AS (
    (SELECT DISTINCT ON (r.database_id) r.database_id, r.branch_id, 0 AS rank
     FROM catalog_app_databaserecord r {VALID} WHERE {_CURRENT} AND {OF_DATABASES}
     ORDER BY r.database_id, {NEARER} LIMIT %(limit)s)
    UNION ALL
    (SELECT gone.*, 1 FROM ({_dropped("catalog_app_databaserecord", "database_id", OF_DATABASES)}) gone)
)
SELECT DISTINCT ON (c.database_id) c.database_id, h.name, s.name, k.name
FROM candidate c
JOIN catalog_app_branch s ON s.id = c.branch_id
JOIN catalog_app_catalog k ON k.id = s.catalog_id
JOIN {nearest("catalog_app_databaserecord", "database_id", "c.database_id", "s")} h ON NOT h.is_dropped
ORDER BY c.database_id, c.rank LIMIT %(limit)s
"""


def _shown(record: str, key: str, *, present: str = "NULL", of: str = "") -> str:
    """The candidates where they are looked at, with the names that they have there, and what is ``present`` there."""
    # The place first, on its own: a join by the CASE itself would look at every branch for every candidate.
    return f"""
, placed AS MATERIALIZED (
    SELECT c.{key}, c.columns, CASE WHEN own.is_dropped IS FALSE THEN x.id ELSE c.branch_id END AS branch_id
    FROM candidate c
    LEFT JOIN catalog_app_branch x ON x.id = %(branch)s
    LEFT JOIN {nearest(record, key, f"c.{key}", "x")} own ON true
)
SELECT c.{key}, t.name, h.name, s.name, k.name, c.columns, {present}
FROM placed c
JOIN catalog_app_branch s ON s.id = c.branch_id
JOIN catalog_app_catalog k ON k.id = s.catalog_id
JOIN {nearest(record, key, f"c.{key}", "s")} t ON NOT t.is_dropped
JOIN {nearest("catalog_app_databaserecord", "database_id", "t.database_id", "s")} h ON NOT h.is_dropped
{of}
WHERE {IN_HOME}
"""


_SHOWN_TABLES = _shown("catalog_app_tablerecord", "table_id")
_VIEWS = f"""
WITH candidate AS (
    SELECT DISTINCT ON (view_id) view_id, branch_id, NULL::jsonb AS columns FROM (
        (SELECT DISTINCT ON (r.view_id) r.view_id, r.branch_id, 0 AS rank
         FROM catalog_app_viewrecord r {VALID} WHERE {_CURRENT} AND {HOLDS_WORD}
         ORDER BY r.view_id, {NEARER} LIMIT %(candidates)s)
        UNION ALL
        (SELECT gone.*, 1 FROM ({_dropped("catalog_app_viewrecord", "view_id", HOLDS_WORD)}) gone)
    ) found ORDER BY view_id, rank
) {_shown("catalog_app_viewrecord", "view_id")}
"""
TABLE_WORDS = "to_tsvector('simple', translate(r.name_key, %(breaks)s, repeat(' ', 20)))"
_OF_TABLES = f"{HOLDS_WORD} AND (({_BEGINS}) OR {TABLE_WORDS} @@ %(words)s::tsquery)"
_TABLES = f"""
WITH candidate AS (
    SELECT DISTINCT ON (table_id) table_id, branch_id, NULL::jsonb AS columns FROM (
        (SELECT DISTINCT ON (r.name_key COLLATE "C", r.table_id) r.table_id, r.branch_id, 0 AS rank
         FROM catalog_app_tablerecord r {VALID} WHERE {_CURRENT} AND {_BEGINS}
         ORDER BY r.name_key COLLATE "C", r.table_id, {NEARER} LIMIT %(candidates)s)
        UNION ALL
        (SELECT r.table_id, r.branch_id, 1 FROM catalog_app_tablerecord r {VALID}
         WHERE {_CURRENT} AND {TABLE_WORDS} @@ %(words)s::tsquery LIMIT %(candidates)s)
        UNION ALL
        (SELECT gone.*, 2 FROM ({_dropped("catalog_app_tablerecord", "table_id", _OF_TABLES)}) gone)
    ) found ORDER BY table_id, rank
) {_SHOWN_TABLES}
"""

COLUMN_WORDS = """to_tsvector('simple', translate(
    lower(jsonb_path_query_array(d.content, '$.columns[*].name')::text), %(breaks)s, repeat(' ', 20)))"""
_SHOWN_COLUMNS = _shown(
    "catalog_app_tablerecord",
    "table_id",
    present="jsonb_path_query_array(e.content, '$.columns[*].name')",
    of=f"""JOIN {nearest("catalog_app_tableschemahistory", "table_id", "c.table_id", "s")} y ON true
JOIN catalog_app_schemadefinition e ON e.id = y.definition_id""",
)
_COLUMNS = f"""
WITH matching AS MATERIALIZED (
    SELECT d.id, d.content FROM catalog_app_schemadefinition d
    WHERE {COLUMN_WORDS} @@ %(words)s::tsquery LIMIT %(candidates)s
), candidate AS (
    SELECT DISTINCT ON (r.table_id) r.table_id, r.branch_id,
           jsonb_path_query_array(m.content, '$.columns[*].name') AS columns
    FROM matching m JOIN catalog_app_tableschema r ON r.definition_id = m.id {VALID}
    ORDER BY r.table_id, {NEARER}
) {_SHOWN_COLUMNS}
"""


def databases_search(wanted: Wanted) -> list[Found]:
    rows = fetch_all(_DATABASES, parameters_of(wanted))
    return [Found("database", name, catalog, branch, name, object_id=pk) for pk, name, branch, catalog in rows]


def tables_search(wanted: Wanted) -> list[Found]:
    """Tables by their own name, and with a dot by that of their database too."""
    if not wanted.words:
        return []
    rows = fetch_all(_TABLES, parameters_of(wanted))
    found = [
        Found("table", f"{database}.{name}", catalog, branch, database, name, object_id=pk)
        for pk, name, database, branch, catalog, *_ in rows
    ]
    return _closest(found, wanted, lambda item: item.table)


def views_search(wanted: Wanted) -> list[Found]:
    """Views by their own name, and with a dot by that of their database too."""
    if not wanted.words:
        return []
    found = [
        Found("view", f"{database}.{name}", catalog, branch, database, view=name, object_id=pk)
        for pk, name, database, branch, catalog, *_ in fetch_all(_VIEWS, parameters_of(wanted))
        if is_match(name, wanted.name)
    ]
    return _closest(found, wanted, lambda item: item.view)


def columns_search(wanted: Wanted) -> list[Found]:
    """Columns of the tables as they are now."""
    if not wanted.words:
        return []
    found = [
        Found("column", f"{database}.{name}.{column}", catalog, branch, database, name, column=column, object_id=pk)
        for pk, name, database, branch, catalog, columns, present in fetch_all(_COLUMNS, parameters_of(wanted))
        for column in set(json_value(columns)) & set(json_value(present))
        if is_match(column, wanted.name)
    ]
    return _closest(found, wanted, lambda item: item.column)


def _closest(found: Iterable[Found], wanted: Wanted, named: Callable[[Found], str]) -> list[Found]:
    def order(item: Found) -> tuple[Any, ...]:
        return (*closeness(named(item), wanted.name), item.label)

    return sorted(found, key=order)[: wanted.limit]


def parameters_of(wanted: Wanted) -> Mapping[str, Any]:
    return {
        "name": wanted.name,
        "behind": wanted.name + LAST_CHARACTER,
        "database": wanted.database,
        "first_word": next(iter(wanted.words), wanted.name),
        "words": " & ".join(f"'{word}':*" for word in wanted.words),
        "catalogs": wanted.catalog_ids,
        "branch": None if wanted.branch is None else wanted.branch.pk,
        "breaks": "_./-:@,;\"'[](){}",
        "limit": wanted.limit,
        "candidates": CANDIDATES,
    }
