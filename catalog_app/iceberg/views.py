"""Views as Iceberg's metadata hold them (its View Spec): one version, in the SQL of Spark."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from catalog_app.domain.nested import numbered
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import ParsedType, parse_type
from catalog_app.iceberg.types import schema_json
from lakeui.common.errors import InvalidValue, NotSupported

_NAMESPACE = uuid.UUID("5c6c2c0f-3e0e-4c38-9b54-0f6a7d0f9c8e")
_VERSION = 1
"""Numbers the only version in the metadata. It is 32 bits long, which a version of lakeui may not be."""


@dataclass(frozen=True, slots=True)
class ShownView:
    """``text``: Spark's SQL, which names tables by ``database.table``. ``columns``: name, type and comment of each.
    ``version``: of the commit that made it, at ``at_ms``.
    """

    view_id: int
    database: str
    text: str
    columns: Sequence[tuple[str, str, str | None]]
    version: int
    at_ms: int
    location: str
    properties: Mapping[str, str] = field(default_factory=dict)


def view_metadata(view: ShownView) -> dict[str, Any]:
    """The metadata as JSON. Raises NotSupported, by name, for a column that Iceberg has no type for."""
    return {
        "view-uuid": str(uuid.uuid5(_NAMESPACE, str(view.view_id))),
        "format-version": 1,
        "location": view.location,
        "schemas": [schema_json(_schema(view.columns))],
        "current-version-id": _VERSION,
        "versions": [
            {
                "version-id": _VERSION,
                "timestamp-ms": view.at_ms,
                "schema-id": 0,
                "summary": {"engine-name": "lakeui", "lakeui-version": str(view.version)},
                # No catalog: what the text names lies in the catalog that the view was loaded from.
                "default-namespace": [view.database],
                "representations": [{"type": "sql", "sql": view.text, "dialect": "spark"}],
            }
        ],
        "version-log": [{"version-id": _VERSION, "timestamp-ms": view.at_ms}],
        "properties": dict(view.properties),
    }


def _schema(columns: Sequence[tuple[str, str, str | None]]) -> Schema:
    """Columns with ids that count from 1: those of a view's fields mean nothing outside of its metadata."""
    ids = count(1)
    found = []
    for name, kind, comment in columns:
        column, parsed = Column(next(ids), name, kind, comment=comment), _parsed(name, kind)
        found.append(column.with_fields(numbered(parsed, ids)) if parsed.fields else column)
    return Schema(tuple(found))


def _parsed(name: str, kind: str) -> ParsedType:
    try:
        return parse_type(kind)
    except InvalidValue as error:
        # Queries have types that columns of tables have not.
        raise NotSupported(
            f"{name} has the type {kind}, which Iceberg does not have.",
            remedy="Cast it in the view's query, or read the view through lakeui.",
            column=name,
        ) from error
