"""Register staged files and hand out addresses. What is registered is not visible before a commit takes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from django.db import connection

from catalog_app.domain.files import NewDataFile, NewDeleteFile
from catalog_app.domain.operations import AddedFile, AttachedDelete
from catalog_app.domain.schema import Column
from catalog_app.domain.types import field_ids
from catalog_app.models import Table
from catalog_app.selectors.rows import DISK_CAN_WAIT, fetch_all, is_alone
from catalog_app.services.registered import column_ids_lent, files_waiting, registered_note
from lakeui.common.errors import InvalidValue

_File = TypeVar("_File", NewDataFile, NewDeleteFile)

_ADDRESSES = f"""
UPDATE catalog_app_table SET next_address = next_address + %(count)s WHERE id = %(table)s
RETURNING next_address, {DISK_CAN_WAIT}
"""


def addresses_allocate(table_id: int, count: int) -> int:
    """The first of ``count`` fresh row addresses of the table. Addresses are never given out twice: where a failure of
    the machine takes back that they were given out, it takes back whatever bore them.
    """
    ((following, _),) = fetch_all(_ADDRESSES, {"table": table_id, "count": count, **is_alone()}, prepared=True)
    return int(following) - count


_RELEASE = f"""
UPDATE catalog_app_table SET next_address = %(first)s WHERE id = %(table)s AND next_address = %(following)s
RETURNING next_address, {DISK_CAN_WAIT}
"""


def addresses_release(table_id: int, first: int, following: int) -> None:
    """Addresses from ``first`` on, which were allocated up to ``following`` and bear no row, are given out again. Where
    others were given out since, they stay unused.
    """
    said = {"table": table_id, "first": first, "following": following, **is_alone()}
    fetch_all(_RELEASE, said, prepared=True)


_NUMBERS = f"""
UPDATE catalog_app_table SET next_identity = next_identity + %(count)s WHERE id = %(table)s
RETURNING next_identity, {DISK_CAN_WAIT}
"""


def identity_numbers_allocate(table_id: int, count: int) -> int:
    """The first of ``count`` fresh numbers for the identity columns of the table, which all its branches share. As
    with addresses, none is given out twice.
    """
    ((following, _),) = fetch_all(_NUMBERS, {"table": table_id, "count": count, **is_alone()}, prepared=True)
    return int(following) - count


def identity_numbers_pass(table_id: int, number: int) -> None:
    """Numbers that are given out later are not below this one."""
    Table.objects.filter(pk=table_id, next_identity__lt=number).update(next_identity=number)


def column_ids_allocate(table_id: int, count: int) -> range:
    """``count`` fresh column ids of the table, unique over all its branches."""
    lent = column_ids_lent(table_id, count)
    if lent is not None:
        first = Table.objects.values_list("next_column_id", flat=True).get(pk=table_id) + lent
        return range(first, first + count)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE catalog_app_table SET next_column_id = next_column_id + %s WHERE id = %s RETURNING next_column_id",
            [count, table_id],
        )
        (following,) = cursor.fetchone()
    return range(following - count, following)


def column_ids_reserve(table_id: int, columns: Sequence[Column]) -> None:
    """Columns and fields that are made later get ids above those of these columns."""
    taken = [identifier for column in columns for identifier in (*column.ids, *field_ids(column.parsed))]
    known = Table.objects.filter(pk=table_id, next_column_id__lte=max(taken))
    known.update(next_column_id=max(taken) + 1)


_REGISTER = f"""
INSERT INTO catalog_app_datafile (table_id, path, base, rows, bytes, partition, layout, statistics,
                                  stores_row_ids, smallest_row_id, largest_row_id, stores_stamps, smallest_stamp,
                                  largest_stamp, by_name, lacks_partition, created_at)
SELECT %(table)s, path, base, rows, bytes, partition, layout, statistics, stores_row_ids, smallest_row_id,
       largest_row_id, stores_stamps, smallest_stamp, largest_stamp, by_name, lacks_partition, now()
FROM ROWS FROM (jsonb_to_recordset(%(files)s::jsonb) AS (
    path text, base bigint, rows bigint, bytes bigint, partition jsonb, layout jsonb, statistics jsonb,
    stores_row_ids boolean, smallest_row_id bigint, largest_row_id bigint, stores_stamps boolean, smallest_stamp bigint,
    largest_stamp bigint, by_name boolean, lacks_partition boolean)) WITH ORDINALITY AS f(
    path, base, rows, bytes, partition, layout, statistics, stores_row_ids, smallest_row_id, largest_row_id,
    stores_stamps, smallest_stamp, largest_stamp, by_name, lacks_partition, place)
ORDER BY place
RETURNING id, {DISK_CAN_WAIT}
"""


def data_files_register(table_id: int, files: Sequence[NewDataFile]) -> tuple[AddedFile, ...]:
    """Rows for staged data files, in the same order. In a dry run they wait, under ids that are lent."""
    described = [_described(file) for file in files]
    if not described:
        return ()
    texts = (text for file in files for text in (*file.partition, *(laid.value for laid in file.layout)))
    if any("\x00" in text for text in texts if isinstance(text, str)):
        raise InvalidValue(
            "A value of a partition column holds the character NUL (U+0000); a partition's name cannot.",
            remedy="Take it out of the value, for example by translate(column, '\\0', '').",
        )
    noted = files_waiting()
    ids = _rows_made(table_id, files) if noted is None else noted.wait(noted.data_waiting, table_id, files)
    return tuple(
        AddedFile(
            identity,
            item["base"],
            item["rows"],
            tuple(item["partition"]),
            item["stores_row_ids"],
            item["smallest_row_id"],
            item["largest_row_id"],
        )
        for identity, item in zip(ids, described, strict=True)
    )


def _rows_made(table_id: int, files: Sequence[NewDataFile]) -> list[int]:
    """The ids of new rows for data files."""
    registered_note(data=[(table_id, file.path) for file in files])
    described = json.dumps([_described(file) for file in files])
    rows = fetch_all(_REGISTER, {"table": table_id, "files": described, **is_alone()}, prepared=True)
    return [identity for identity, _ in rows]


def _described(file: NewDataFile) -> dict[str, Any]:
    """The row of a data file, as ``_REGISTER`` reads it."""
    return {
        "path": file.path,
        "base": file.base,
        "rows": file.rows,
        "bytes": file.bytes,
        "partition": list(file.partition),
        "layout": [laid.as_json() for laid in file.layout],
        "statistics": {str(key): value.as_json() for key, value in (file.statistics or {}).items()},
        "stores_row_ids": file.stores_row_ids,
        "smallest_row_id": file.base if file.smallest_row_id is None else file.smallest_row_id,
        "largest_row_id": file.base + file.rows - 1 if file.largest_row_id is None else file.largest_row_id,
        "stores_stamps": file.stamps is not None,
        "smallest_stamp": file.stamps[0] if file.stamps else None,
        "largest_stamp": file.stamps[1] if file.stamps else None,
        "by_name": file.by_name,
        "lacks_partition": file.lacks_partition,
    }


_REGISTER_DELETES = f"""
INSERT INTO catalog_app_deletefile (table_id, data_file_id, path, rows, bytes, created_at)
SELECT %(table)s, data_file_id, path, rows, bytes, now()
FROM ROWS FROM (jsonb_to_recordset(%(files)s::jsonb) AS (data_file_id bigint, path text, rows bigint, bytes bigint))
WITH ORDINALITY AS f(data_file_id, path, rows, bytes, place)
ORDER BY place
RETURNING id, {DISK_CAN_WAIT}
"""


def delete_files_register(table_id: int, files: Sequence[NewDeleteFile]) -> tuple[AttachedDelete, ...]:
    """Rows for staged delete files, in the same order. In a dry run they wait, under ids that are lent."""
    if not files:
        return ()
    noted = files_waiting()
    ids = _deletes_made(table_id, files) if noted is None else noted.wait(noted.deletes_waiting, table_id, files)
    return tuple(AttachedDelete(key, file.data_file_id, file.rows) for key, file in zip(ids, files, strict=True))


def _deletes_made(table_id: int, files: Sequence[NewDeleteFile]) -> list[int]:
    """The ids of new rows for delete files."""
    registered_note(deletes=[file.path for file in files])
    named = [{name: getattr(file, name) for name in ("data_file_id", "path", "rows", "bytes")} for file in files]
    asked = {"table": table_id, "files": json.dumps(named), **is_alone()}
    return [identity for identity, _ in fetch_all(_REGISTER_DELETES, asked, prepared=True)]


def waiting_register() -> dict[int, int]:
    """Rows for the files of a dry run that wait, by the ids that they were lent. What comes after waits no more."""
    noted = files_waiting()
    if noted is None:
        return {}
    noted.postpones = False
    found: dict[int, int] = {}
    for table_id, data in _by_table(noted.data_waiting):
        found |= zip(data, _rows_made(table_id, list(data.values())), strict=True)
    for table_id, deletes in _by_table(noted.deletes_waiting):
        found |= zip(deletes, _deletes_made(table_id, list(deletes.values())), strict=True)
    return found


def _by_table(waiting: Mapping[int, tuple[int, _File]]) -> Iterator[tuple[int, dict[int, _File]]]:
    for table_id in dict.fromkeys(table_id for table_id, _ in waiting.values()):
        yield table_id, {key: file for key, (of, file) in waiting.items() if of == table_id}
