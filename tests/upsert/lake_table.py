"""A managed table behind the same face as the data sets on disk: merges are commits, made by Spark."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.quoting import quote_name
from catalog_app.engine.exporting import ExportFormat, ExportTarget
from catalog_app.importing.arrow_types import taken_type, type_text
from lakeui.frontdoor import Session, export
from lakeui.frontdoor.entries.batches import batch_merge
from tests.on_spark.rows.test_imports import load, send
from tests.support.lake import Lake
from tests.upsert.engines import Counts


@dataclass
class LakeTable:
    """Table ``d.t`` of a lake of its own, in one of the two physical modes."""

    folder: Path
    mode: str
    lake: Lake = field(default_factory=Lake)

    def __post_init__(self) -> None:
        self.lake.sql("CREATE DATABASE d")

    def fill(self, *files: pa.Table) -> None:
        columns = ", ".join(map(_definition, files[0].schema))
        self.lake.sql(f"CREATE TABLE d.t ({columns}) TBLPROPERTIES ('write.merge.mode' = '{self.mode}')")
        for table in files:
            if table.num_rows:
                content = io.BytesIO()
                pq.write_table(table, content)
                load(self.lake, send(self.lake, content.getvalue(), self.folder), append=True)

    def merge(self, batch: pa.Table, strategy: str, keys: Sequence[str] | str, **options: Any) -> Counts:
        session = Session(catalog=self.lake.catalog)
        result = batch_merge(batch, "d.t", strategy, keys, session=session, **options)
        assert self.lake.breaches() == []
        return Counts(result.metrics["rows_inserted"], result.metrics["rows_updated"])

    def rows(self) -> pa.Table:
        path = self.folder / "rows.parquet"
        target = ExportTarget(path, ExportFormat.PARQUET, most_rows=1_000_000)
        export("SELECT * FROM d.t", Session(catalog=self.lake.catalog), target)
        return pq.read_table(path)

    def state(self) -> object:
        return self.lake.head()


def _definition(item: pa.Field) -> str:
    required = "" if item.nullable else " NOT NULL"
    return f"{quote_name(item.name)} {type_text(taken_type(item.type, item.name))}{required}"
