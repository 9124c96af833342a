"""The ways to carry out a keyed merge, behind one face, so that one suite judges all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from merge_app.upsert import Implementation, merge


@dataclass(frozen=True)
class Counts:
    inserted: int
    updated: int


class KeyedTable(Protocol):
    """A table that a test fills, merges into, and reads."""

    def fill(self, *files: pa.Table) -> None:
        """Make the table hold these rows, a file each."""

    def merge(self, batch: pa.Table, strategy: str, keys: Sequence[str] | str, **options: Any) -> Counts: ...

    def rows(self) -> pa.Table: ...

    def state(self) -> object:
        """Something that is equal as long as nothing was written."""


@dataclass
class DiskTable:
    """A folder of Parquet files, merged into through DuckDB."""

    root: Path
    use_merge: bool
    schema: pa.Schema | None = field(default=None)

    def fill(self, *files: pa.Table) -> None:
        self.root.mkdir(parents=True)
        for number, table in enumerate(files):
            pq.write_table(table, self.root / f"{number:04}.parquet")

    def merge(self, batch: pa.Table, strategy: str, keys: Sequence[str] | str, **options: Any) -> Counts:
        result = merge(batch, self.root, strategy, keys, use_merge=self.use_merge, **options)
        assert result.implementation is (Implementation.NATIVE if self.use_merge else Implementation.FALLBACK)
        return Counts(result.rows_inserted, result.rows_updated)

    def rows(self) -> pa.Table:
        files = sorted(self.root.rglob("*.parquet"))
        schemas = [pq.read_schema(path) for path in files]
        schema = pa.unify_schemas(schemas, promote_options="permissive")
        return ds.dataset([str(path) for path in files], schema=schema).to_table()

    def state(self) -> object:
        return sorted((path.name, path.read_bytes()) for path in self.root.rglob("*") if path.is_file())
