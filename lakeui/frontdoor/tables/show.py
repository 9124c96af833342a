"""SHOW and DESCRIBE: metadata as rows, with the columns that interfaces §1 fixes."""

from __future__ import annotations

from catalog_app.domain.generated import checks_stated_shown, generated_shown, identities_shown
from catalog_app.domain.layout import clustering_shown, layout_shown
from catalog_app.domain.quoting import quote_name, quote_text
from catalog_app.domain.schema import Column
from catalog_app.domain.state import comment_of, own_properties
from catalog_app.domain.table_properties import MERGE_CONFLICTS
from catalog_app.models import Branch, Tag
from catalog_app.selectors.dropped_catalogs import dropped_catalogs
from catalog_app.selectors.objects import databases_list, tables_list
from catalog_app.selectors.people import catalogs_known
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import segments_list
from catalog_app.selectors.snapshots import SNAPSHOT, Snapshot
from catalog_app.selectors.trash import kept_until
from catalog_app.selectors.views import ViewState, views_list
from lakeui.frontdoor.call import Call, Place, table_for_reading, view_asked
from lakeui.frontdoor.inputs_outputs import StatementResult, answer
from lakeui.frontdoor.queries.views import view_comment, view_properties
from lakeui.frontdoor.tables.databases import database_place
from lakeui.frontdoor.tables.partitions import partitions_matching
from lakeui.frontdoor.tables.patterns import is_like
from lakeui.sql import statements as sql
from merge_app.audit.models import MergeAttempt


def strings(*names: str) -> list[tuple[str, str]]:
    return [(name, "string") for name in names]


def show_catalogs(call: Call, statement: sql.ShowCatalogs) -> StatementResult:
    valid = catalogs_known(call.principal).filter(dropped_at__isnull=True)
    names = valid.order_by("name").values_list("name", flat=True)
    return answer(strings("name"), [[name] for name in names])


def show_dropped_catalogs(call: Call, statement: sql.ShowDroppedCatalogs) -> StatementResult:
    """Those that UNDROP CATALOG can bring back, the last dropped first."""
    found = dropped_catalogs(catalogs_known(call.principal)).order_by("-dropped_at", "-pk")
    rows = [
        [item.name, str(item.pk), item.dropped_at.isoformat(), kept_until(item.dropped_at).isoformat()]
        for item in found
        if item.dropped_at is not None
    ]
    columns = [*strings("name", "catalog_id"), ("dropped_at", "timestamp"), ("kept_until", "timestamp")]
    return answer(columns, rows)


def describe_catalog(call: Call, statement: sql.DescribeCatalog) -> StatementResult:
    catalog = call.catalog_named(statement.name)
    rows = [["Catalog", catalog.name], ["Comment", catalog.comment], [MERGE_CONFLICTS, catalog.merge_conflicts]]
    return answer(strings("info_name", "info_value"), rows)


def show_branches(call: Call, statement: sql.ShowBranches) -> StatementResult:
    branches = Branch.objects.filter(catalog=call.catalog, dropped_at__isnull=True, is_workspace=False).order_by("id")
    parents = ("parent__dropped_at", "parent__successor__name", "parent__name")
    found = branches.values_list("name", *parents, "fork_version", "head_version", "expires_at")
    rows = [
        [name, (successor if gone else None) or parent, *versions, expires_at and expires_at.isoformat()]
        for name, gone, successor, parent, *versions, expires_at in found
    ]
    numbers = [("fork_version", "bigint"), ("head_version", "bigint")]
    columns = [*strings("name", "parent"), *numbers, ("expires_at", "timestamp")]
    return answer(columns, rows)


def show_tags(call: Call, statement: sql.ShowTags) -> StatementResult:
    tags = Tag.objects.filter(catalog=call.catalog).order_by("name").values_list("name", "branch__name", "version")
    return answer([*strings("name", "branch"), ("version", "bigint")], [list(row) for row in tags])


def show_databases(call: Call, statement: sql.ShowDatabases) -> StatementResult:
    found = [state for state in databases_list(call.snapshot) if is_like(state.name, statement.like)]
    rows = [[state.name, str(state.database_id)] for state in found]
    return answer(strings("name", "database_id"), rows, call.snapshot.version)


def describe_database(call: Call, statement: sql.DescribeDatabase) -> StatementResult:
    place = database_place(call, statement.database)
    state = place.state
    rows = [["Database Id", str(state.database_id)], ["Name", state.name], ["Comment", comment_of(state)]]
    rows += [["Properties", properties_text(own_properties(state))]]
    return answer(strings("item", "value"), rows, place.seen.version)


def properties_text(properties: dict[str, str]) -> str:
    return "(" + ", ".join(f"{key}={value}" for key, value in sorted(properties.items())) + ")"


def show_tables(call: Call, statement: sql.ShowTables) -> StatementResult:
    databases, snapshot = databases_asked(call, statement.database)
    rows = [
        [databases[state.database_id], state.name, str(state.table_id)]
        for state in tables_list(snapshot, databases)
        if is_like(state.name, statement.like)
    ]
    return answer(strings("database", "name", "table_id"), rows, snapshot.version)


def databases_asked(call: Call, name: sql.DatabaseName | None) -> tuple[dict[int, str], Snapshot]:
    if name is None:
        return {state.database_id: state.name for state in databases_list(call.snapshot)}, call.snapshot
    place = database_place(call, name)
    return {place.state.database_id: place.state.name}, place.seen


def show_views(call: Call, statement: sql.ShowViews) -> StatementResult:
    databases, snapshot = databases_asked(call, statement.database)
    found = [view for view in views_list(snapshot, databases) if is_like(view.name, statement.like)]
    rows = [[databases[view.database_id], view.name] for view in found]
    return answer(strings("database", "name"), rows, snapshot.version)


def show_create_table(call: Call, statement: sql.ShowCreateTable) -> StatementResult:
    asked = view_asked(call, statement.table)
    if asked is not None:
        place, view = asked
        return answer(strings("statement"), [[_view_text(place, view)]], place.snapshot.version)
    found = table_for_reading(call, statement.table)
    table = found.table
    by_id = {column.id: column.name for column in table.schema.columns}
    generated = {name: f"GENERATED ALWAYS AS ({text})" for name, text in generated_shown(table).items()}
    generated |= {name: identity.shown for name, identity in identities_shown(table).items()}
    parts = [_column_text(column, generated.get(column.name)) for column in table.schema.columns]
    if table.schema.primary_key:
        parts.append("PRIMARY KEY (" + ", ".join(quote_name(by_id[i]) for i in table.schema.primary_key) + ")")
    checks = checks_stated_shown(table)
    parts += [f"CONSTRAINT {quote_name(name)} CHECK ({condition})" for name, condition in checks.items()]
    name = f"{quote_name(found.place.database.name)}.{quote_name(table.name)}"
    text = f"CREATE TABLE {name} (\n  " + ",\n  ".join(parts) + ")"
    if fields := [*(quote_name(by_id[i]) for i in table.schema.partition_by), *layout_shown(table)]:
        text += "\nPARTITIONED BY (" + ", ".join(fields) + ")"
    if clustered := clustering_shown(table):
        text += "\nCLUSTER BY (" + ", ".join(map(quote_name, clustered)) + ")"
    if comment := comment_of(table):
        text += f"\nCOMMENT {quote_text(comment)}"
    if properties := own_properties(table):
        text += f"\nTBLPROPERTIES ({_pairs(properties)})"
    return answer(strings("statement"), [[text]], found.place.snapshot.version)


def _view_text(place: Place, view: ViewState) -> str:
    text = f"CREATE VIEW {quote_name(place.database.name)}.{quote_name(view.name)}"
    if view.columns:
        columns = (quote_name(name) + (f" COMMENT {quote_text(said)}" if said else "") for name, said in view.columns)
        text += f" ({', '.join(columns)})"
    if comment := view_comment(view):
        text += f" COMMENT {quote_text(comment)}"
    if properties := view_properties(view):
        text += f" TBLPROPERTIES ({_pairs(properties)})"
    return f"{text} AS {view.query}"


def _pairs(properties: dict[str, str]) -> str:
    return ", ".join(f"{quote_text(key)} = {quote_text(value)}" for key, value in sorted(properties.items()))


def _column_text(column: Column, generated: str | None) -> str:
    text = f"{quote_name(column.name)} {column.type}"
    text += "" if column.nullable else " NOT NULL"
    text += f" {generated}" if generated is not None else ""
    text += f" DEFAULT {column.default}" if column.default is not None else ""
    return text + (f" COMMENT {quote_text(column.comment)}" if column.comment else "")


def show_partitions(call: Call, statement: sql.ShowPartitions) -> StatementResult:
    found = table_for_reading(call, statement.table)
    names = [column.name for column in found.table.schema.partition_columns]
    values = {segment.partition for segment in segments_list(found.place.snapshot, found.table.table_id)}
    values |= found.table.declared_partitions
    values = partitions_matching(found.table, values, statement.partition) if statement.partition else values
    rows = sorted("/".join(f"{n}={_shown(v)}" for n, v in zip(names, item, strict=True)) for item in values)
    return answer(strings("partition"), [[row] for row in rows], found.place.snapshot.version)


def _shown(value: str | None) -> str:
    return "null" if value is None else value


def show_segments(call: Call, statement: sql.ShowSegments) -> StatementResult:
    found = table_for_reading(call, statement.table)
    rows = [
        [s.path, s.rows, s.bytes, s.schema_version, s.is_visible, s.added_version, s.deleted_rows]
        for s in segments_list(found.place.snapshot, found.table.table_id)
    ]
    columns = [("file", "string"), ("rows", "bigint"), ("bytes", "bigint"), ("schema_version", "bigint")]
    columns += [("is_visible", "boolean"), ("added_version", "bigint"), ("deleted_rows", "bigint")]
    return answer(columns, rows, found.place.snapshot.version)


_HISTORY = f"""
WITH {SNAPSHOT}
SELECT c.version, c.committed_at, c.operation, c.author_name, c.statement, c.message,
       (SELECT jsonb_agg(jsonb_build_object('kind', o.kind, 'object', o.object_kind, 'id', o.object_id,
                                            'metrics', o.metrics) ORDER BY o.id)
        FROM catalog_app_commitoperation o WHERE o.commit_id = c.id AND NOT o.already_done)
FROM snapshot l JOIN catalog_app_commit c ON c.branch_id = l.branch_id AND c.version <= l.max_version
WHERE %(table_id)s::bigint IS NULL OR EXISTS (
    SELECT 1 FROM catalog_app_commitoperation o
    WHERE o.commit_id = c.id AND o.object_kind = 'table' AND o.object_id = %(table_id)s AND NOT o.already_done)
ORDER BY c.version DESC LIMIT %(limit)s
"""

HISTORY_LIMIT = 1000


def _most(limit: int | None) -> int:
    """How many rows are listed; none is what ``LIMIT 0`` asks for."""
    return HISTORY_LIMIT if limit is None else limit


def _history(snapshot: Snapshot, table_id: int | None, limit: int) -> StatementResult:
    found = fetch_all(_HISTORY, {**snapshot.parameters, "table_id": table_id, "limit": limit})
    rows = [
        [
            version,
            time.isoformat(),
            operation,
            author,
            {
                "statement": text,
                **({"message": message} if message else {}),
                "operations": json_value(done) or [],
            },
        ]
        for version, time, operation, author, text, message, done in found
    ]
    columns = [("version", "bigint"), ("time", "timestamp"), *strings("operation", "author", "details")]
    return answer(columns, rows, snapshot.version)


def show_history(call: Call, statement: sql.ShowHistory) -> StatementResult:
    return _history(call.snapshot, None, _most(statement.limit))


def describe_history(call: Call, statement: sql.DescribeHistory) -> StatementResult:
    found = table_for_reading(call, statement.table)
    return _history(found.place.snapshot, found.table.table_id, _most(statement.limit))


def show_merges(call: Call, statement: sql.ShowMerges) -> StatementResult:
    attempts = MergeAttempt.objects.filter(catalog=call.catalog, kind="merge").order_by("-number")
    rows = [
        [str(item.merge_id), item.source, item.destination, item.outcome, item.version, item.recorded_at.isoformat()]
        for item in attempts[: _most(statement.limit)]
    ]
    columns = [*strings("merge_id", "source", "destination", "outcome"), ("version", "bigint")]
    return answer([*columns, ("time", "timestamp")], rows)
