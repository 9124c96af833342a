"""Other engines read a table through the REST catalog. Run as a process over the packages of requirements-engines.txt.

Arguments: the engine, a token, the table, the columns, and of each read the catalog's address, a condition or nothing,
and the Parquet file for the rows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyiceberg.table import Table

Read = Callable[[str, str, str], None]


def duckdb_reader(token: str, table: str, columns: str) -> Read:
    import duckdb

    connection = duckdb.connect()
    for extension in ("avro", "httpfs", "iceberg"):
        found = find_spec(f"duckdb_extension_{extension}")
        assert found is not None
        assert found.submodule_search_locations is not None
        (folder,) = found.submodule_search_locations
        file = Path(folder, "extensions", f"v{duckdb.__version__}", f"{extension}.duckdb_extension")
        connection.execute(f"INSTALL '{file}'")
        connection.execute(f"LOAD {extension}")
    connection.execute(f"CREATE SECRET lake (TYPE iceberg, TOKEN '{token}')")

    if store := os.environ.get("AWS_ENDPOINT_URL"):
        keys = f"KEY_ID '{os.environ['AWS_ACCESS_KEY_ID']}', SECRET '{os.environ['AWS_SECRET_ACCESS_KEY']}'"
        place = f"ENDPOINT '{store.removeprefix('http://')}', URL_STYLE 'path', USE_SSL false"
        connection.execute(f"CREATE SECRET store (TYPE s3, {keys}, {place})")
    own_keys = ", ACCESS_DELEGATION_MODE 'none'" if store else ""

    def read(address: str, condition: str, target: str) -> None:
        connection.execute(f"ATTACH '' AS lake (TYPE iceberg, ENDPOINT '{address}', SECRET lake{own_keys})")
        rows = f"SELECT {columns} FROM lake.{table} WHERE {condition or 'true'}"
        connection.execute(f"COPY ({rows}) TO '{target}' (FORMAT parquet)")
        connection.execute("DETACH lake")

    return read


def _loaded(address: str, token: str, table: str) -> Table:
    from pyiceberg.catalog import load_catalog

    return load_catalog("lake", type="rest", uri=address, token=token).load_table(table)


def polars_reader(token: str, table: str, columns: str) -> Read:
    assert columns == "*"
    import polars

    def read(address: str, condition: str, target: str) -> None:
        rows = polars.scan_iceberg(_loaded(address, token, table))
        chosen = rows.filter(polars.sql_expr(condition)) if condition else rows
        chosen.collect().write_parquet(target)

    return read


def daft_reader(token: str, table: str, columns: str) -> Read:
    assert columns == "*"
    import daft
    import pyarrow.parquet as pq

    def read(address: str, condition: str, target: str) -> None:
        rows = daft.read_iceberg(_loaded(address, token, table))
        chosen = rows.where(daft.sql_expr(condition)) if condition else rows
        pq.write_table(chosen.to_arrow(), target)

    return read


READERS = {"duckdb": duckdb_reader, "polars": polars_reader, "daft": daft_reader}

if __name__ == "__main__":
    engine, token, table, columns, *asked = sys.argv[1:]
    read = READERS[engine](token, table, columns)
    for place in range(0, len(asked), 3):
        read(*asked[place : place + 3])
