"""The metadata of a lake in PostgreSQL. History is append-only: triggers refuse what would rewrite it."""

from catalog_app.models.catalog import Branch, BranchReach, Catalog, Commit, CommitOperation
from catalog_app.models.files import DataFile, DeleteFile, Segment, SegmentDelete, SegmentRemoval
from catalog_app.models.objects import Database, DatabaseRecord, Table, TableRecord, ViewRecord
from catalog_app.models.schemas import InvisibleSchemaHistory, SchemaDefinition, TableSchema, TableSchemaHistory

__all__ = [
    "Branch",
    "BranchReach",
    "Catalog",
    "Commit",
    "CommitOperation",
    "DataFile",
    "Database",
    "DatabaseRecord",
    "DeleteFile",
    "InvisibleSchemaHistory",
    "SchemaDefinition",
    "Segment",
    "SegmentDelete",
    "SegmentRemoval",
    "Table",
    "TableRecord",
    "TableSchema",
    "TableSchemaHistory",
    "ViewRecord",
]
