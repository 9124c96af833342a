"""How UPDATE, DELETE and MERGE change files, by table property: position deletes and images, or whole files anew.

Copy-on-write is merge-on-read with a compaction of the touched files in the same commit. The update and the delete are
recorded as ever, with the rows and base files that they touched, so branches merge and rows diff alike in both modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog_app.domain.operations import AddedFile, FileEffects, Operation, OperationKind
from catalog_app.domain.state import TableState
from catalog_app.domain.table_properties import COPY_ON_WRITE, MERGE_ON_READ
from catalog_app.engine.copy_on_write import Copied
from catalog_app.services import alterations
from catalog_app.services.files import data_files_register
from lakeui.common.errors import InvalidValue


def copies_files(table: TableState, statement: str) -> bool:
    """Whether the table's property ``write.<statement>.mode`` asks for copy-on-write; merge-on-read is the default."""
    key = f"write.{statement}.mode"
    mode = table.properties.get(key, MERGE_ON_READ)
    if mode not in (MERGE_ON_READ, COPY_ON_WRITE):
        raise InvalidValue(
            f"{key} of table {table.name} is {mode!r}.", remedy=f"Set it to '{MERGE_ON_READ}' or '{COPY_ON_WRITE}'."
        )
    return mode == COPY_ON_WRITE


@dataclass(frozen=True, slots=True)
class FileCopies:
    """The compaction that puts touched files right; no ``operation`` where none was touched."""

    operation: Operation | None = None
    folded: frozenset[int] = frozenset()
    removed: int = 0


def copied_files(table: TableState, copied: Copied, images: Sequence[AddedFile]) -> FileCopies:
    """Register what the engine copied, or would copy. ``images`` are the registered image files, in the order in which
    they were given to it. Those whose rows lie in the copies are ``folded``: the commit adds them and takes them away.
    """
    if not copied.files:
        return FileCopies()
    added = data_files_register(table.table_id, copied.added)
    folded = tuple(images[index].file_id for index in copied.folded)
    metrics = {
        "rows_copied": copied.rows,
        "files_rewritten": len(copied.files),
        "files_added": len(added) + len(copied.foreseen),
        "files_removed": len(copied.files),
        "bytes_written": sum(file.bytes for file in copied.added) + sum(copied.foreseen),
    }
    effects = FileEffects(added, (*copied.files, *folded))
    done = alterations.operation(table, OperationKind.COMPACTION, effects=effects, metrics=metrics)
    return FileCopies(done, frozenset(folded), len(copied.files))
