"""Rows of a table, read by this process from the files where they lie. No query runs at the server.

The server says which files a branch, a tag or a version sees, as metadata of Apache Iceberg; PyIceberg reads them. It
opens the files that a filter leaves, and of these the columns that are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lakeui_client.errors import error_of, failed
from lakeui_client.http import Http, segment

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    from pyiceberg.table import DataScan
    from pyiceberg.table import Table as IcebergTable


class FileTable:
    """A table as it was when this was made: it holds the files of that version, however the branch moves.

    ``row_filter`` is a condition as PyIceberg reads it (``"dep_delay > 300 AND origin = 'JFK'"``), or one of its
    expressions.
    """

    def __init__(self, http: Http, catalog: str, name: str, reference: str) -> None:
        database, point, table = name.partition(".")
        if not (database and point and table):
            raise failed(f"{name!r} names no table.", "Write it as database.table.")
        self.name = name
        self.iceberg = _loaded(http, catalog, (database, table), reference)
        """The table of PyIceberg."""

    @property
    def version(self) -> int | None:
        """The version of the commit that made what is seen here."""
        snapshot = self.iceberg.current_snapshot()
        return None if snapshot is None else snapshot.snapshot_id

    def scan(self, columns: Sequence[str] | None = None, row_filter: Any = None) -> DataScan:
        """What will be read. Raises LakeError for a column or a condition that the table does not have."""
        from pyiceberg.expressions import AlwaysTrue
        from pyparsing import ParseBaseException

        try:
            scan = self.iceberg.scan(
                row_filter=AlwaysTrue() if row_filter is None else row_filter,
                selected_fields=("*",) if columns is None else tuple(columns),
            )
            _maps_refuse(scan.projection())
            scan.plan_files()
        except ParseBaseException as error:
            raise failed(
                f"PyIceberg does not read the condition {row_filter!r}.",
                "Write columns, literals, comparisons, IN, LIKE, IS NULL, AND, OR and NOT.",
            ) from error
        except ValueError as error:
            why = f"The table {self.name} cannot be read so: {error}"
            raise failed(why, "Look at the columns and the filter.") from error
        return scan

    def to_arrow(self, columns: Sequence[str] | None = None, row_filter: Any = None) -> pa.Table:
        scan = self.scan(columns, row_filter)
        try:
            return scan.to_arrow()
        except OSError as error:
            raise failed(
                f"A file of {self.name} cannot be read here: {error}",
                "This process reads the files itself, so it needs access to where they lie. If it has that, the version"
                " may have expired: ask for the table again.",
                code="FILES_UNREADABLE",
            ) from error

    def to_polars(self, columns: Sequence[str] | None = None, row_filter: Any = None) -> Any:
        """The rows as a DataFrame of Polars."""
        return _package("polars", "polars").from_arrow(self.to_arrow(columns, row_filter))

    def to_duckdb(
        self,
        columns: Sequence[str] | None = None,
        row_filter: Any = None,
        *,
        name: str | None = None,
        connection: duckdb.DuckDBPyConnection | None = None,
    ) -> duckdb.DuckDBPyConnection:
        """A connection in which the rows are a table, called as the table is, or ``name``."""
        connection = connection or _package("duckdb", "duckdb").connect()
        connection.register(name or self.name.partition(".")[2], self.to_arrow(columns, row_filter))
        return connection


def _package(name: str, extra: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise failed(f"{name} is not installed.", f"pip install {extra!r}") from error


def _loaded(http: Http, catalog: str, place: tuple[str, str], reference: str) -> IcebergTable:
    _package("pyiceberg.table", "lakeui-client[iceberg]")
    from pyiceberg.catalog.noop import NoopCatalog
    from pyiceberg.io import load_file_io
    from pyiceberg.table import StaticTable
    from pyiceberg.table.metadata import TableMetadataUtil

    where = f"/iceberg/{segment(catalog)}/{segment(reference)}/v1"
    # Where the server lends keys of the store, the answer holds some for this table.
    asked = {"X-Iceberg-Access-Delegation": "vended-credentials"}
    said = http.send("GET", f"{where}/namespaces/{segment(place[0])}/tables/{segment(place[1])}", headers=asked).json
    location = said["metadata-location"]
    metadata = TableMetadataUtil.parse_obj(said["metadata"])
    io = load_file_io(said.get("config") or {}, location)
    return StaticTable(place, metadata, location, io, NoopCatalog(catalog))


def _maps_refuse(schema: Any) -> None:
    """PyIceberg gives an empty map for NULL in a map of structs, which is another value."""
    from pyiceberg.types import MapType, StructType

    for field in schema.fields:
        kind = field.field_type
        if isinstance(kind, MapType) and isinstance(kind.value_type, StructType):
            raise error_of(
                {
                    "code": "NOT_SUPPORTED",
                    "detail": f"PyIceberg reads NULL in {field.name}, a map of structs, as a map without entries.",
                    "remedy": "Leave the column out, or read it by sql(..).to_arrow().",
                }
            )
