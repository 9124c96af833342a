"""DESCRIBE and SHOW of one table, its columns and schema versions; of views; and of functions."""

from __future__ import annotations

from typing import Any

from catalog_app.domain.generated import checks_stated_shown, generated_shown, identities_shown
from catalog_app.domain.layout import clustering_shown, layout_shown
from catalog_app.domain.state import TableState, comment_of, own_properties, stated_properties
from catalog_app.domain.types import ParsedType
from catalog_app.selectors.objects import tables_list
from catalog_app.selectors.schemas import invisible_schemas, schemas_made, table_merge_versions, visible_schemas
from catalog_app.selectors.segments import segments_list
from catalog_app.selectors.views import ViewState, views_list
from lakeui.common.errors import NotFound, PropertyNotFound
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call, Place, ResolvedTable, table_for_reading, view_asked
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import StatementResult, answer
from lakeui.frontdoor.queries.queries import view_source
from lakeui.frontdoor.queries.views import view_comment, view_properties
from lakeui.frontdoor.tables.patterns import is_like
from lakeui.frontdoor.tables.show import databases_asked, properties_text, strings
from lakeui.sql import statements as sql
from lakeui.sql.allowlist import function_names
from merge_app.audit.selectors import discarded_schemas


def describe_table(call: Call, statement: sql.DescribeTable) -> StatementResult:
    view = view_asked(call, statement.table)
    if view is not None:
        return describe_view(call, statement.table, *view, extended=statement.extended)
    found = table_for_reading(call, statement.table)
    table = found.table
    rows: list[list[Any]] = [
        [column.name, column.type, column.nullable, column.default, column.comment] for column in table.schema.columns
    ]
    if statement.extended:
        by_id = {column.id: column.name for column in table.schema.columns}
        details = {
            "Table Id": str(table.table_id),
            "Database": found.place.database.name,
            "Primary Key": ", ".join(by_id[i] for i in table.schema.primary_key),
            "Partitioned By": ", ".join([*(by_id[i] for i in table.schema.partition_by), *layout_shown(table)]),
            **({"Clustered By": ", ".join(clustered)} if (clustered := clustering_shown(table)) else {}),
            "Properties": properties_text(own_properties(table)),
            **_constraints(table),
            "Comment": comment_of(table),
            "Schema Version": str(table.schema_version),
        }
        rows.append(["", "", None, None, None])
        rows += [[name, value, None, None, None] for name, value in details.items()]
    columns = [*strings("column", "type"), ("nullable", "boolean"), *strings("default", "comment")]
    return answer(columns, rows, found.place.snapshot.version)


def _constraints(table: TableState) -> dict[str, str]:
    generated = {f"Generated {name}": value for name, value in generated_shown(table).items()}
    counted = {f"Generated {name}": identity.shown for name, identity in identities_shown(table).items()}
    stated = checks_stated_shown(table)
    return {**generated, **counted, **{f"Constraint {name}": f"CHECK ({text})" for name, text in stated.items()}}


def describe_view(call: Call, name: sql.TableName, place: Place, view: ViewState, *, extended: bool) -> StatementResult:
    """A view's columns have the types that its query gives now."""
    source = view_source(call, view, name)
    comments = {column: comment or "" for column, comment in view.columns}
    rows: list[list[Any]] = [
        [column, kind, True, None, comments.get(column, "")]
        for column, kind in engine().describe(source.text, source.tables)
    ]
    if extended:
        details = {
            "View Id": str(view.view_id),
            "Database": place.database.name,
            "Type": "VIEW",
            "Query": view.query,
            "Properties": properties_text(view_properties(view)),
            "Comment": view_comment(view),
        }
        rows.append(["", "", None, None, None])
        rows += [[name, value, None, None, None] for name, value in details.items()]
    columns = [*strings("column", "type"), ("nullable", "boolean"), *strings("default", "comment")]
    return answer(columns, rows, place.snapshot.version)


def describe_column(call: Call, statement: sql.DescribeColumn) -> StatementResult:
    found = table_for_reading(call, statement.table)
    name, *fields = statement.path
    column = found.table.schema.named(name)
    if column is None:
        raise _column_missing(found, name)
    facts: dict[str, Any] = {"col_name": column.name, "data_type": column.type, "comment": column.comment or ""}
    if fields:
        facts = {"col_name": ".".join(statement.path), "data_type": _field_type(found, statement.path), "comment": ""}
    else:
        facts |= {"nullable": str(column.nullable).lower(), "default": column.default}
    rows = [[key, value] for key, value in facts.items()]
    return answer(strings("info_name", "info_value"), rows, found.place.snapshot.version)


def _column_missing(found: ResolvedTable, name: str) -> NotFound:
    nearest = nearest_name(name, [column.name for column in found.table.schema.columns])
    return NotFound("column", name, nearest=nearest, where=f"in table {found.label}")


def _field_type(found: ResolvedTable, path: tuple[str, ...]) -> str:
    column = found.table.schema.named(path[0])
    assert column is not None
    kind: ParsedType = column.parsed
    for name in path[1:]:
        inner = {field.name.casefold(): field.type for field in kind.fields} if kind.name == "struct" else {}
        if name.casefold() not in inner:
            raise NotFound("column", ".".join(path), where=f"in table {found.label}")
        kind = inner[name.casefold()]
    return kind.text


_DETAIL = (
    *(("format", "string"), ("id", "string"), ("name", "string"), ("description", "string")),
    *(("partitionColumns", "array<string>"), ("primaryKey", "array<string>")),
    *(("numFiles", "bigint"), ("numRows", "bigint"), ("sizeInBytes", "bigint")),
    *(("properties", "map<string,string>"), ("version", "bigint")),
)


def describe_detail(call: Call, statement: sql.DescribeDetail) -> StatementResult:
    found = table_for_reading(call, statement.table)
    table, segments = found.table, segments_list(found.place.snapshot, found.table.table_id)
    by_id = {column.id: column.name for column in table.schema.columns}
    row = [
        *("parquet", str(table.table_id), found.label, comment_of(table)),
        [*(by_id[i] for i in table.schema.partition_by), *layout_shown(table)],
        [by_id[i] for i in table.schema.primary_key],
        len(segments),
        sum(segment.rows - segment.deleted_rows for segment in segments),
        sum(segment.bytes for segment in segments),
        own_properties(table),
        found.place.snapshot.version,
    ]
    return answer(list(_DETAIL), [row], found.place.snapshot.version)


def show_properties(call: Call, statement: sql.ShowTableProperties) -> StatementResult:
    key, asked = statement.key, view_asked(call, statement.table)
    if asked is not None:
        place, properties = asked[0], dict(asked[1].properties)
        label = f"{place.database.name}.{asked[1].name}"
    else:
        found = table_for_reading(call, statement.table)
        place, properties, label = found.place, stated_properties(found.table), found.label
    if key is not None and key not in properties:
        raise PropertyNotFound(
            f"{label} has no property {key!r}.", remedy=f"SHOW TBLPROPERTIES {label} lists them.", property=key
        )
    rows = [[name, value] for name, value in sorted(properties.items()) if key in (None, name)]
    return answer(strings("key", "value"), rows, place.snapshot.version)


def show_columns(call: Call, statement: sql.ShowColumns) -> StatementResult:
    view = view_asked(call, statement.table)
    if view is not None:
        described = describe_view(call, statement.table, *view, extended=False)
        return answer(strings("col_name"), [[row[0]] for row in described.rows], described.version)
    found = table_for_reading(call, statement.table)
    rows = [[column.name] for column in found.table.schema.columns]
    return answer(strings("col_name"), rows, found.place.snapshot.version)


def show_schema_versions(call: Call, statement: sql.ShowSchemaVersions) -> StatementResult:
    """Visible versions, those that only decode merged rows, and those that merges discarded, newest first."""
    found = table_for_reading(call, statement.table)
    table_id, snapshot = found.table.table_id, found.place.snapshot
    rows: list[list[Any]] = []
    for visible in visible_schemas(snapshot, table_id, current=found.table.schema_version):
        state = "current" if visible.is_current else "visible"
        rows.append([visible.version, state, visible.segments, None, _columns_text(visible.schema.columns)])
    for hidden in invisible_schemas(snapshot, table_id):
        shown = _columns_text(hidden.schema.columns)
        rows.append([hidden.version, "invisible", hidden.segments, hidden.added_version, shown])
    merges = table_merge_versions(snapshot, table_id)
    discarded = discarded_schemas(catalog_id=found.place.branch.catalog_id, table_id=table_id, merges=merges)
    made = schemas_made(table_id, [item.version for item in discarded])
    rows += [
        [item.version, "discarded", 0, item.merged_version, _columns_text(made[item.version].columns)]
        for item in discarded
        if item.version in made
    ]
    columns = [("schema_version", "bigint"), ("state", "string"), ("segments", "bigint"), ("merged_version", "bigint")]
    return answer([*columns, ("columns", "string")], rows, snapshot.version)


def _columns_text(columns: Any) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in columns)


def show_table_extended(call: Call, statement: sql.ShowTableExtended) -> StatementResult:
    """What Spark answers: a table's columns and kind as lines of a text."""
    databases, snapshot = databases_asked(call, statement.database)
    rows: list[list[Any]] = []
    for table in tables_list(snapshot, databases):
        if is_like(table.name, statement.like):
            lines = [f"Database: {databases[table.database_id]}", f"Table: {table.name}", "Type: MANAGED"]
            lines += ["Provider: parquet", f"Comment: {comment_of(table)}"]
            lines += [f"Table Properties: {properties_text(own_properties(table))}", "Schema: root"]
            lines += [
                f" |-- {column.name}: {column.type} (nullable = {str(column.nullable).lower()})"
                for column in table.schema.columns
            ]
            rows.append([databases[table.database_id], table.name, False, "\n".join(lines) + "\n"])
    for view in views_list(snapshot, databases):
        if is_like(view.name, statement.like):
            lines = [f"Database: {databases[view.database_id]}", f"Table: {view.name}", "Type: VIEW"]
            rows.append(
                [databases[view.database_id], view.name, False, "\n".join([*lines, f"View Text: {view.query}"])]
            )
    columns = [*strings("namespace", "tableName"), ("isTemporary", "boolean"), *strings("information")]
    return answer(columns, rows, snapshot.version)


def show_functions(call: Call, statement: sql.ShowFunctions) -> StatementResult:
    own = {name for name, _ in call.session.parameters.functions}
    known = sorted(own if statement.of_session else {*function_names(), *own})
    names = [name for name in known if is_like(name, statement.like)]
    return answer(strings("function"), [[name] for name in names])
