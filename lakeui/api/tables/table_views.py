"""One table of a branch: what it is, its segments, schema versions, partitions, history and rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.checks import checks_shown
from catalog_app.domain.column_bounds import column_bounds
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.state import comment_of, stated_properties
from catalog_app.selectors.growth import table_growth
from catalog_app.selectors.listing import (
    PartitionEntry,
    TableSize,
    declared_texts,
    partitions_count,
    partitions_page,
    table_sizes,
)
from catalog_app.selectors.schemas import invisible_schemas, schemas_made, table_merge_versions, visible_schemas
from catalog_app.selectors.segments import SegmentState, segments_list, segments_page
from catalog_app.services.compaction import Reason, compaction_of
from lakeui import frontdoor
from lakeui.api.branches.history_views import COMMIT_PAGE, history_response
from lakeui.api.branches.lake_serializers import TableHistoryQuery
from lakeui.api.http.answers import BAD_REQUEST, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, checked, head_tagged, principal_of, session_of, tagged
from lakeui.api.http.lookup import AddressedTable, addressed_table
from lakeui.api.http.paging import keyset_page, page_body, page_schema
from lakeui.api.http.request_work import read_of
from lakeui.api.http.serializers import StatementAnswer
from lakeui.api.tables.table_lineage import lineage_of
from lakeui.api.tables.table_serializers import (
    ChangesQuery,
    CompactionAnswer,
    LineageAnswer,
    PartitionAnswer,
    PreviewQuery,
    SchemasAnswer,
    SegmentAnswer,
    TableAnswer,
    TableProfileAnswer,
    VersionPage,
    VersionQuery,
    VersionsAnswer,
    VersionsQuery,
    columns_shown,
    names_shown,
    partition_shown,
)
from lakeui.tasks.statements import result_body
from merge_app.audit.selectors import discarded_schemas

REFUSALS: dict[Any, Any] = {**NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND}


class TableView(ApiView):
    @extend_schema(
        operation_id="table_get",
        summary="Look at a table",
        tags=["tables"],
        parameters=[VersionQuery, IF_NONE_MATCH],
        responses={200: TableAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        place = addressed_table(
            request, catalog, branch, database, table, checked(VersionQuery, request).get("version")
        )
        return head_tagged(request, place.branch, lambda: TableAnswer(self._body(place)).data)

    def _body(self, place: AddressedTable) -> dict[str, Any]:
        table, schema = place.table, place.table.schema
        size = table_sizes(place.snapshot, [table.table_id]).get(table.table_id, TableSize())
        partitions = (
            partitions_count(place.snapshot, table.table_id, declared_texts(table)) if schema.partition_by else 0
        )
        return {
            "name": table.name,
            "table_id": table.table_id,
            "database": place.database.name,
            "database_id": place.database.database_id,
            "comment": comment_of(table),
            "version": place.snapshot.version,
            "head_version": place.branch.head_version,
            "schema_version": table.schema_version,
            "columns": columns_shown(schema),
            "primary_key": names_shown(schema, schema.primary_key),
            "partition_by": names_shown(schema, schema.partition_by),
            "properties": stated_properties(table),
            "constraints": checks_shown(table.properties, schema),
            **asdict(size),
            "partitions": partitions,
        }


class TableHistoryView(ApiView):
    @extend_schema(
        operation_id="table_history",
        summary="The history of a table",
        tags=["tables"],
        parameters=[TableHistoryQuery, IF_NONE_MATCH],
        responses={200: COMMIT_PAGE, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        filters = checked(TableHistoryQuery, request)
        place = addressed_table(request, catalog, branch, database, table, filters.pop("version", None))
        return history_response(request, place.snapshot, filters, ("table", place.table.table_id))


class TableVersionsView(ApiView):
    @extend_schema(
        operation_id="table_versions",
        summary="Rows and bytes of a table over its versions",
        description="From metadata alone, for plots.",
        tags=["tables"],
        parameters=[VersionsQuery, IF_NONE_MATCH],
        responses={200: VersionsAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        filters = checked(VersionsQuery, request)
        place = addressed_table(request, catalog, branch, database, table, filters.get("version"))
        return head_tagged(request, place.branch, lambda: self._body(place, filters["points"]))

    def _body(self, place: AddressedTable, most: int) -> Any:
        catalog_id, table_id = place.branch.catalog_id, place.table.table_id
        growth = table_growth(place.snapshot, catalog_id=catalog_id, table_id=table_id, most=most)
        body = {"version": place.snapshot.version, "total": growth.total, "results": growth.points}
        return VersionsAnswer(body).data


class SegmentListView(ApiView):
    @extend_schema(
        operation_id="segment_list",
        summary="List the segments of a table",
        description="In the order in which they were added.",
        tags=["tables"],
        parameters=[VersionPage, IF_NONE_MATCH],
        responses={200: page_schema("SegmentPage", SegmentAnswer(many=True)), **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        filters = checked(VersionPage, request)
        place = addressed_table(request, catalog, branch, database, table, filters.pop("version", None))
        return head_tagged(request, place.branch, lambda: self._body(request, place, filters))

    def _body(self, request: Request, place: AddressedTable, filters: dict[str, Any]) -> Any:
        page = keyset_page(filters, int, int)
        found = segments_page(place.snapshot, place.table.table_id, after=page.after, limit=page.fetch)
        return page_body(
            request,
            page,
            found,
            key=lambda entry: (entry.added_version, entry.segment_id),
            shown=lambda entries: SegmentAnswer([_segment(entry, place) for entry in entries], many=True).data,
        )


def _segment(entry: SegmentState, place: AddressedTable) -> dict[str, Any]:
    return {
        "segment_id": entry.segment_id,
        "path": entry.path,
        "rows": entry.rows,
        "bytes": entry.bytes,
        "deleted_rows": min(entry.deleted_rows, entry.rows),
        "delete_files": len(entry.delete_paths),
        "partition": partition_shown(place.table.schema, entry.partition),
        "schema_version": entry.schema_version,
        "is_visible": entry.is_visible,
        "added_version": entry.added_version,
    }


class SchemaListView(ApiView):
    @extend_schema(
        operation_id="table_schemas",
        summary="The schema versions of a table",
        description="Visible ones, those kept only to decode merged rows, and those that merges discarded.",
        tags=["tables"],
        parameters=[VersionQuery, IF_NONE_MATCH],
        responses={200: SchemasAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        place = addressed_table(
            request, catalog, branch, database, table, checked(VersionQuery, request).get("version")
        )
        return head_tagged(request, place.branch, lambda: SchemasAnswer(self._body(place)).data)

    def _body(self, place: AddressedTable) -> dict[str, Any]:
        table_id, snapshot = place.table.table_id, place.snapshot
        discarded = discarded_schemas(
            catalog_id=place.branch.catalog_id, table_id=table_id, merges=table_merge_versions(snapshot, table_id)
        )
        made = schemas_made(table_id, [item.version for item in discarded])
        return {
            "visible": [
                {**_plain(item), "columns": columns_shown(item.schema)}
                for item in visible_schemas(snapshot, table_id, current=place.table.schema_version)
            ],
            "invisible": [
                {**_plain(item), "columns": columns_shown(item.schema)}
                for item in invisible_schemas(snapshot, table_id)
            ],
            "discarded": [
                {**_plain(item), "columns": columns_shown(made[item.version])}
                for item in discarded
                if item.version in made
            ],
        }


class PartitionListView(ApiView):
    @extend_schema(
        operation_id="partition_list",
        summary="List the partitions of a table",
        tags=["tables"],
        parameters=[VersionPage, IF_NONE_MATCH],
        responses={200: page_schema("PartitionPage", PartitionAnswer(many=True)), **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        filters = checked(VersionPage, request)
        place = addressed_table(request, catalog, branch, database, table, filters.pop("version", None))
        return head_tagged(request, place.branch, lambda: self._body(request, place, filters))

    def _body(self, request: Request, place: AddressedTable, filters: dict[str, Any]) -> Any:
        page = keyset_page(filters, str)
        after = page.after[0] if page.after else ""
        declared = declared_texts(place.table)
        found: list[PartitionEntry] = []
        if place.table.schema.partition_by:
            found = partitions_page(place.snapshot, place.table.table_id, declared, after=after, limit=page.fetch)

        def shown(entries: Sequence[PartitionEntry]) -> Any:
            return PartitionAnswer([_partition(entry, place) for entry in entries], many=True).data

        return page_body(request, page, found, key=lambda entry: (entry.key,), shown=shown)


def _partition(entry: PartitionEntry, place: AddressedTable) -> dict[str, Any]:
    values = partition_shown(place.table.schema, entry.values)
    text = "/".join(f"{name}={'null' if value is None else value}" for name, value in values.items())
    return {**asdict(entry), "values": values, "partition": text}


class TableProfileView(ApiView):
    @extend_schema(
        operation_id="table_profile",
        summary="What the files' statistics say of a table's columns",
        description="By column how many values are missing, and the least and the largest value, from the statistics"
        " of the files: no row is read. Rows that are deleted by delete files still count, so these are bounds.",
        tags=["tables"],
        parameters=[VersionQuery, IF_NONE_MATCH],
        responses={200: TableProfileAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        place = addressed_table(
            request, catalog, branch, database, table, checked(VersionQuery, request).get("version")
        )
        return head_tagged(request, place.branch, lambda: TableProfileAnswer(self._body(place)).data)

    def _body(self, place: AddressedTable) -> dict[str, Any]:
        segments = segments_list(place.snapshot, place.table.table_id)
        return {
            "version": place.snapshot.version,
            "rows": sum(segment.rows for segment in segments),
            "deleted_rows": sum(segment.deleted_rows for segment in segments),
            "columns": column_bounds(place.table.schema, segments),
        }


class TableCompactionView(ApiView):
    @extend_schema(
        operation_id="table_compaction",
        summary="What OPTIMIZE would rewrite of a table",
        description="From metadata alone: which files the statement would choose, and why. No file is read.",
        tags=["tables"],
        parameters=[IF_NONE_MATCH],
        responses={200: CompactionAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        place = addressed_table(request, catalog, branch, database, table, None)
        return head_tagged(request, place.branch, lambda: CompactionAnswer(self._body(place)).data)

    def _body(self, place: AddressedTable) -> dict[str, Any]:
        segments = segments_list(place.snapshot, place.table.table_id)
        found = compaction_of(place.table, segments)
        return {
            "version": place.snapshot.version,
            "files": len(segments),
            "chosen_files": len(found.chosen),
            "chosen_bytes": sum(segment.bytes for segment in found.segments),
            **{reason.value: found.count(reason) for reason in Reason},
            "files_after": len(segments) - len(found.chosen) + found.files_after,
        }


class TableLineageView(ApiView):
    @extend_schema(
        operation_id="table_lineage",
        summary="What a table was made from, and what is made from it",
        description="Tables, pipelines and views, by what commits recorded of the tables that their statements read."
        " Queries leave no record. The rows of a merge count where they were made.",
        tags=["tables"],
        parameters=[VersionQuery, IF_NONE_MATCH],
        responses={200: LineageAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        version = checked(VersionQuery, request).get("version")
        place = addressed_table(request, catalog, branch, database, table, version)
        # Pipelines change without a commit, so the head does not name the content.
        return tagged(request, Response(LineageAnswer(lineage_of(place, principal_of(request))).data))


class RowsView(ApiView):
    keeps_restrictions = frozenset({"get"})

    @extend_schema(
        operation_id="table_rows",
        summary="Preview the rows of a table",
        description="Some rows, read by the compute engine; no order is promised.",
        tags=["tables"],
        parameters=[PreviewQuery],
        responses={200: StatementAnswer, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        filters = checked(PreviewQuery, request)
        place = addressed_table(request, catalog, branch, database, table, filters.get("version"))
        limit = filters["limit"]
        found = _run(request, place, f"SELECT * FROM {_reference(place)} LIMIT {limit + 1}")
        rows = found["rows"][:limit]
        is_cut = len(found["rows"]) > limit
        body = {**found, "rows": rows, "row_count": len(rows), "truncated": is_cut, "version": place.snapshot.version}
        return Response(body, headers={"Cache-Control": "private, no-cache"})


class ChangesView(ApiView):
    @extend_schema(
        operation_id="table_changes",
        summary="Compare the rows of two versions, branches or tags",
        description="As SHOW CHANGES answers. Each end is one of a version of the branch, a branch and a tag.",
        tags=["tables"],
        parameters=[ChangesQuery],
        responses={200: StatementAnswer, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, table: str) -> Response:
        filters = checked(ChangesQuery, request)
        place = addressed_table(request, catalog, branch, database, table, None)
        first, last = (_point(filters, end) for end in ("from", "to"))
        name = f"{quote_name(place.database.name)}.{quote_name(place.table.name)}"
        return Response(_run(request, place, f"SHOW CHANGES {name} FROM {first} TO {last}"))


def _point(filters: dict[str, Any], end: str) -> str:
    for kind in ("BRANCH", "TAG"):
        if name := filters.get(f"{end}_{kind.lower()}"):
            return f"{kind} {quote_name(name)}"
    return f"VERSION {filters[end]}"


def _reference(place: AddressedTable) -> str:
    name = f"{quote_name(place.database.name)}.{quote_name(place.table.name)}"
    at_head = place.snapshot.version == place.branch.head_version
    return name if at_head else f"{name} VERSION AS OF {place.snapshot.version}"


def _run(request: Request, place: AddressedTable, statement: str) -> dict[str, Any]:
    session = session_of(request, place.branch.catalog.name, place.branch.name)
    with read_of(request, place.branch) as context:
        return result_body(frontdoor.execute(statement, session, context))


def _plain(item: Any) -> dict[str, Any]:
    """The fields of a selector's entry, without the schema."""
    return {field.name: getattr(item, field.name) for field in fields(item) if field.name != "schema"}
