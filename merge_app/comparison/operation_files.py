"""The data files that recorded operations wrote and touched, where they were made first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from catalog_app.domain.operations import Operation
from catalog_app.selectors.rows import fetch_all

_FILES = """
SELECT s.operation_id, s.file_id, true FROM catalog_app_segment s WHERE s.operation_id = ANY(%(ids)s)
UNION
SELECT r.operation_id, s.file_id, false
FROM catalog_app_segmentremoval r JOIN catalog_app_segment s ON s.id = r.segment_id
WHERE r.operation_id = ANY(%(ids)s)
UNION
SELECT d.operation_id, f.data_file_id, false
FROM catalog_app_segmentdelete d JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE d.operation_id = ANY(%(ids)s)
"""


@dataclass(frozen=True, slots=True)
class OperationFiles:
    """Ids of the files that an operation wrote, and of existing ones whose rows it took away or masked."""

    added: set[int] = field(default_factory=set)
    touched: set[int] = field(default_factory=set)


def operation_files_load(operations: Sequence[Operation]) -> dict[int, OperationFiles]:
    """By the id of the operation; those of a replay are its original's."""
    originals = {item.operation_id: item.origin_id or item.operation_id for item in operations if item.operation_id}
    found: dict[int | None, OperationFiles] = defaultdict(OperationFiles)
    for identity, file_id, is_added in fetch_all(_FILES, {"ids": list(set(originals.values()))}) if originals else ():
        (found[identity].added if is_added else found[identity].touched).add(file_id)
    return {identity: found[origin] for identity, origin in originals.items()}
