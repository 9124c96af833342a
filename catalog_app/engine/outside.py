"""Rows of files outside of the warehouse: their folders do not name the base of their addresses.

Spark says of every row which file it comes from. A base that is not found ends the query: no row is read without its
address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

import pyarrow as pa

from catalog_app.engine.types import text_literal

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.domain.files import FileScan
    from catalog_app.storage.warehouse import Warehouse

OUTSIDE_BASE, POSITION = "__lake_file_base", "__lake_position"
_FILE, _KNOWN, _FOUND = "__lake_file", "__lake_known_file", "__lake_found_base"
_UNKNOWN = text_literal("a file that was taken over is called otherwise than the catalog says: ")
_SAFE = "/-_!.~'()*,;:$&+=@"
"""What Java leaves as it is in the path of an address, beside letters and digits of ASCII and what is not ASCII."""


def with_bases(spark: SparkSession, warehouse: Warehouse, frame: DataFrame, files: Sequence[FileScan]) -> DataFrame:
    """The rows as they were read of these files, with the base of their file and their position in it."""
    from pyspark.sql.connect.functions import expr

    paths = [named_by_spark(warehouse.spark_path(file.path)) for file in files]
    bases = pa.table({_KNOWN: pa.array(paths, pa.string()), _FOUND: pa.array([f.base for f in files], pa.int64())})
    known = spark.createDataFrame(bases).hint("broadcast")
    # Spark writes file:/ or file:///, as its readers go; the path behind is the same.
    place = f"regexp_replace(_metadata.file_path, '^[a-z0-9]+:/+', '/') AS {_FILE}"
    rows = frame.selectExpr("*", f"_metadata.row_index AS {POSITION}", place)
    base = f"coalesce({_FOUND}, raise_error(concat({_UNKNOWN}, {_FILE}))) AS {OUTSIDE_BASE}"
    return rows.join(known, expr(f"{_FILE} = {_KNOWN}"), "left").selectExpr("*", base).drop(_FILE, _KNOWN, _FOUND)


def named_by_spark(path: str) -> str:
    """A path as Spark's column ``_metadata.file_path`` has it, without the scheme."""
    place = "/" + path.rpartition("://")[2].lstrip("/")
    return re.sub(r"[\x00-\x7f]+", lambda part: quote(part[0], safe=_SAFE), place)
