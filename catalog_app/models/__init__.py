"""The metadata of a lake in PostgreSQL. History is append-only: triggers refuse what would rewrite it."""

from catalog_app.models.catalog import (
    Branch,
    BranchReach,
    Catalog,
    CatalogJoin,
    Commit,
    CommitOperation,
    CommitRead,
    Tag,
    Transaction,
    TransactionState,
)
from catalog_app.models.files import (
    DataFile,
    DeletedKeys,
    DeleteFile,
    ExpiredFile,
    Segment,
    SegmentDelete,
    SegmentRemoval,
    SegmentStamp,
)
from catalog_app.models.imports import FileImport
from catalog_app.models.objects import AttributeFacts, Database, DatabaseRecord, Table, TableRecord, ViewRecord
from catalog_app.models.people import Agent, CatalogMember, GroupRole, ProtectionRule, Restriction
from catalog_app.models.published import PublishedFile, PublishedTable
from catalog_app.models.results import KeptResult
from catalog_app.models.schemas import InvisibleSchemaHistory, SchemaDefinition, TableSchema, TableSchemaHistory
from catalog_app.models.sessions import SqlSession

__all__ = [
    "Agent",
    "AttributeFacts",
    "Branch",
    "BranchReach",
    "Catalog",
    "CatalogJoin",
    "CatalogMember",
    "Commit",
    "CommitOperation",
    "CommitRead",
    "DataFile",
    "Database",
    "DatabaseRecord",
    "DeleteFile",
    "DeletedKeys",
    "ExpiredFile",
    "FileImport",
    "GroupRole",
    "InvisibleSchemaHistory",
    "KeptResult",
    "ProtectionRule",
    "PublishedFile",
    "PublishedTable",
    "Restriction",
    "SchemaDefinition",
    "Segment",
    "SegmentDelete",
    "SegmentRemoval",
    "SegmentStamp",
    "SqlSession",
    "Table",
    "TableRecord",
    "TableSchema",
    "TableSchemaHistory",
    "Tag",
    "Transaction",
    "TransactionState",
    "ViewRecord",
]
