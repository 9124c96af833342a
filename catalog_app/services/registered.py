"""Files and tables that a dry run makes, and their end: no metadata names them, and their bytes are gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from django.db import connection, transaction

from catalog_app.domain.files import NewDataFile, NewDeleteFile, is_outside
from catalog_app.models import Table
from catalog_app.selectors.rows import DISK_CAN_WAIT, fetch_all, is_alone
from catalog_app.storage.warehouse import Warehouse, paths_noted

_File = TypeVar("_File", NewDataFile, NewDeleteFile)


@dataclass(slots=True)
class Registered:
    """Data files as table and path, paths of delete files, and ids of tables, that were registered while somebody took
    note. Tables share the path of a file that they took over. ``column_ids``: by table how many were given out.
    ``data_waiting``, ``deletes_waiting``: by the ids that they were lent, files that are no rows yet, each with its
    table. ``postpones``: files wait.
    """

    data: list[tuple[int, str]] = field(default_factory=list)
    deletes: list[str] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)
    column_ids: dict[int, int] = field(default_factory=dict)
    data_waiting: dict[int, tuple[int, NewDataFile]] = field(default_factory=dict)
    deletes_waiting: dict[int, tuple[int, NewDeleteFile]] = field(default_factory=dict)
    postpones: bool = False

    def wait(self, waiting: dict[int, tuple[int, _File]], table_id: int, files: Sequence[_File]) -> list[int]:
        """The ids that are lent to files of a table. No row has such an id."""
        first = -1 - len(self.data_waiting) - len(self.deletes_waiting)
        lent = [first - place for place in range(len(files))]
        waiting |= {key: (table_id, file) for key, file in zip(lent, files, strict=True)}
        return lent


_NOTED: ContextVar[Registered | None] = ContextVar("registered files", default=None)


def registered_note(
    *, data: Iterable[tuple[int, str]] = (), deletes: Iterable[str] = (), tables: Iterable[int] = ()
) -> None:
    """Take note of what is registered, where somebody asks for that."""
    noted = _NOTED.get()
    if noted is not None:
        noted.data += data
        noted.deletes += deletes
        noted.tables += tables


def files_waiting() -> Registered | None:
    """What is noted in a dry run whose files wait."""
    noted = _NOTED.get()
    return noted if noted is not None and noted.postpones else None


def column_ids_lent(table_id: int, count: int) -> int | None:
    """How many column ids of the table the open transaction of a dry run was given before these. They go back with it,
    so they are not taken from the table, whose row every writer of it needs. None outside of such a transaction.
    """
    noted = _NOTED.get()
    if noted is None or not connection.in_atomic_block:
        return None
    before = noted.column_ids.get(table_id, 0)
    noted.column_ids[table_id] = before + count
    return before


@contextmanager
def registered_taken_back(warehouse: Warehouse, *, postpones: bool = False) -> Iterator[None]:
    """Remove what is registered inside, rows and bytes of the warehouse, and files that are made and not registered. No
    commit may have taken any of it. A process that dies inside leaves files that no commit took, which VACUUM finds.
    With ``postpones`` files are no rows before ``waiting_register`` makes them.
    """
    noted = Registered(postpones=postpones)
    token = _NOTED.set(noted)
    made: list[str] = []
    try:
        with paths_noted() as made:
            yield
    finally:
        _NOTED.reset(token)
        if noted.data or noted.deletes or noted.tables:
            _remove(noted)
        paths = dict.fromkeys([*noted.deletes, *(path for _, path in noted.data), *made])
        warehouse.remove_all([path for path in paths if not is_outside(path)])


_REMOVE = f"""
WITH allowed AS MATERIALIZED (
    SELECT set_config('lakeui.expiring', 'on', true), {DISK_CAN_WAIT}
), gone AS (DELETE FROM catalog_app_deletefile f USING allowed WHERE f.path = ANY(%(deletes)s::text[]))
DELETE FROM catalog_app_datafile f
USING allowed, unnest(%(tables)s::bigint[], %(paths)s::text[]) AS noted (table_id, path)
WHERE f.table_id = noted.table_id AND f.path = noted.path
RETURNING f.id
"""
"""Foreign keys refuse it where a commit took a file. Rows that come back where a machine fails are those of files that
no commit took, which VACUUM finds.
"""


def _remove(noted: Registered) -> None:
    named = {"tables": [table for table, _ in noted.data], "paths": [path for _, path in noted.data]}
    with transaction.atomic() if noted.tables else nullcontext():
        fetch_all(_REMOVE, {**named, "deletes": noted.deletes, **is_alone()}, prepared=True)
        if noted.tables:
            Table.objects.filter(pk__in=noted.tables).delete()
