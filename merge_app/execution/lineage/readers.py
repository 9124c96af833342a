"""What reads the lineage columns of a table's files: paths are looked up once, when the first is asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from catalog_app.domain.files import FileScan
from catalog_app.domain.schema import Schema
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import files_load
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.rows import Reader
from merge_app.lineage.segments import Gone, ShownFile

_PATHS = "SELECT id, path FROM catalog_app_deletefile WHERE id = ANY(%(ids)s)"


def reader_of(
    table_id: int,
    shown: Iterable[ShownFile],
    gone: Iterable[Gone],
    engine: EngineSource,
    schema: Schema | None = None,
) -> Reader:
    """``schema``: what files that a statement staged are written under."""
    files: set[int] = set()
    deletes: set[int] = set()
    for file in shown:
        files.add(file.file_id)
        deletes.update(mark.file_id for mark in (*file.deletes, *file.stamped))
    for item in gone:
        files.add(item.file_id)
        deletes.update(item.masks)
        if item.delete_file is not None:
            deletes.add(item.delete_file)
    return Reader(table_id, _Scans(table_id, files, schema), _Paths(deletes), engine, wanted=(files, deletes))


def delete_paths_load(delete_files: Collection[int]) -> dict[int, str]:
    """Paths of delete files by id."""
    return dict(fetch_all(_PATHS, {"ids": list(delete_files)})) if delete_files else {}


class _Scans(dict[int, FileScan]):
    """Files by id. All that are wanted are looked up with the first that is asked for."""

    def __init__(self, table_id: int, wanted: set[int], schema: Schema | None) -> None:
        super().__init__()
        self._table_id, self.wanted, self._schema = table_id, wanted, schema

    def __missing__(self, file_id: int) -> FileScan:
        asked = {*self.wanted, file_id} - self.keys()
        self.update(files_load(self._table_id, asked, [], staged_schema=self._schema))
        if file_id not in self:
            raise LookupError(f"table {self._table_id} has no data file {file_id}")
        return self[file_id]


class _Paths(dict[int, str]):
    """Paths of delete files by id, looked up in the same way."""

    def __init__(self, wanted: set[int]) -> None:
        super().__init__()
        self.wanted = wanted

    def __missing__(self, file_id: int) -> str:
        self.update(delete_paths_load({*self.wanted, file_id} - self.keys()))
        if file_id not in self:
            raise LookupError(f"there is no delete file {file_id}")
        return self[file_id]
