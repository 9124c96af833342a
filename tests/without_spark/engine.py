"""The engine in memory for several processes: its files lie in the warehouse, where workers read what others wrote."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import replace
from functools import cache
from typing import Any

from django.conf import settings

from catalog_app.domain.files import FileScan, NewDataFile, NewDeleteFile
from catalog_app.services.files import addresses_allocate
from catalog_app.storage.warehouse import Warehouse
from tests.support.lake_memory_engine import LakeMemoryEngine


class PickledFiles(MutableMapping[str, Any]):
    """Files of a warehouse by their paths. A file is there whole or not at all."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse

    def __getitem__(self, path: str) -> Any:
        try:
            with self._warehouse.filesystem.open_input_stream(self._warehouse.absolute(path)) as stream:
                return pickle.loads(stream.read())
        except FileNotFoundError:
            raise KeyError(path) from None

    def __setitem__(self, path: str, content: Any) -> None:
        self._warehouse.replace(path, pickle.dumps(content))

    def __delitem__(self, path: str) -> None:
        self._warehouse.remove(path)

    def __iter__(self) -> Iterator[str]:
        return (file.path for file in self._warehouse.all_under("") if file.path.endswith(".parquet"))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def bytes_of(self, path: str) -> int:
        return self._warehouse.size(path)


class SharedMemoryEngine(LakeMemoryEngine):
    """``_files`` and ``_deletes`` are files of one warehouse; what is found of them is what lies there."""

    def __init__(self, allocate: Callable[[int, int], int], warehouse: str) -> None:
        super().__init__(allocate)
        self._stored = PickledFiles(Warehouse(warehouse))
        self._files = self._deletes = self._stored
        # No two processes give one path.
        self._numbers = iter(lambda: uuid.uuid4().hex, "")

    def _place(self, *arguments: Any, **named: Any) -> NewDataFile:
        placed = super()._place(*arguments, **named)
        return replace(placed, bytes=self._stored.bytes_of(placed.path))

    def _write_deletes(self, table_id: int, file: FileScan, marks: dict[int, int]) -> NewDeleteFile:
        written = super()._write_deletes(table_id, file, marks)
        return replace(written, bytes=self._stored.bytes_of(written.path))


@cache
def _engine_in(warehouse: str) -> SharedMemoryEngine:
    return SharedMemoryEngine(addresses_allocate, warehouse)


def engine_make() -> SharedMemoryEngine:
    """In the place of ``compute.engine_make``: the engine on the warehouse of the settings."""
    return _engine_in(settings.LAKEUI["WAREHOUSE"])
