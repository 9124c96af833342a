"""The engine in memory with what histories read of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from catalog_app.domain.files import TableScan
from lakeui.common.errors import InvalidValue
from tests.support.lake_memory_engine import LakeMemoryEngine
from tests.support.memory_engine import LiveRow


class HistoryEngine(LakeMemoryEngine):
    def _query(self, text: str, tables: Mapping[str, Any]) -> tuple[list[tuple[str, str]], list[list[Any]]]:
        """A name that an earlier statement of a transaction took away is refused, as by Spark."""
        try:
            return super()._query(text, tables)
        except duckdb.BinderException as error:
            raise InvalidValue(str(error).splitlines()[0]) from error

    def live(self, scan: TableScan) -> Iterator[LiveRow]:
        return self._live(scan)
