"""The rows of a table as lakeui and as other engines read them, in a form in which they can be compared."""

from __future__ import annotations

import datetime
import decimal
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog import load_catalog
from pyiceberg.expressions import AlwaysTrue

from catalog_app.engine.exporting import ExportFormat, ExportTarget
from lakeui.frontdoor import Session, export

ENGINES = Path(os.environ.get("LAKEUI_TEST_ENGINES") or Path(sys.prefix, "engines"))
ROOT = Path(__file__).resolve().parent.parent.parent


def lakeui_rows(catalog: str, table: str, branch: str, target: Path) -> pa.Table:
    wanted = ExportTarget(target, ExportFormat.PARQUET, most_rows=1_000_000)
    export(f"SELECT * FROM {table}", Session(catalog, branch), wanted)
    return pq.read_table(target)


def pyiceberg_rows(address: str, token: str, table: str, condition: str = "") -> pa.Table:
    given = {"credential": f"engine:{token}", "oauth2-server-uri": f"{address}/v1/oauth/tokens"}
    catalog = load_catalog("lake", type="rest", uri=address, **given)
    return catalog.load_table(table).scan(row_filter=condition or AlwaysTrue()).to_arrow()


def other_rows(
    engine: str, asked: Sequence[tuple[str, str]], token: str, table: str, folder: Path, *, columns: str = "*"
) -> list[pa.Table]:
    """The rows at each address for which a condition is true, as an engine in a process of its own reads them."""
    assert ENGINES.is_dir(), f"{ENGINES} is missing: make {Path(sys.prefix).name}/.installed-engines"
    targets = [folder / f"{engine}{place}.parquet" for place in range(len(asked))]
    reads = [str(given) for one, target in zip(asked, targets, strict=True) for given in (*one, target)]
    command = [sys.executable, "-m", "tests.iceberg.reading", engine, token, table, columns, *reads]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ENGINES), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return [pq.read_table(target) for target in targets]


def counted(table: pa.Table, *, null_maps: bool = True) -> tuple[list[str], Counter[str]]:
    """The names of the columns, and how often each row is there. ``null_maps``: NULL in place of a map of structs
    counts apart from a map without entries, which PyIceberg 0.12 makes of it (MapArray.from_arrays without a mask).
    """
    kinds = table.schema.types
    columns = [column.to_pylist() for column in table.columns]
    for place, kind in enumerate(kinds):
        if not null_maps and pa.types.is_map(kind) and pa.types.is_struct(kind.item_type):
            columns[place] = [value or [] for value in columns[place]]
    return table.column_names, Counter(repr(tuple(map(_plain, row, kinds))) for row in zip(*columns, strict=True))


def _plain(value: Any, kind: pa.DataType) -> Any:
    """The value in a form that does not say how an engine holds it."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {field.name: _plain(value[field.name], field.type) for field in kind}
    if pa.types.is_map(kind):
        entries = ((_plain(key, kind.key_type), _plain(item, kind.item_type)) for key, item in value)
        return sorted(entries, key=repr)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        if pa.types.is_struct(kind.value_type) and [field.name for field in kind.value_type] == ["key", "value"]:
            # Polars has maps as lists of pairs.
            key, item = (field.type for field in kind.value_type)
            return sorted(((_plain(e["key"], key), _plain(e["value"], item)) for e in value), key=repr)
        return [_plain(item, kind.value_type) for item in value]
    if isinstance(value, decimal.Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).isoformat()
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value
    return value
