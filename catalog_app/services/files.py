"""Register staged files and hand out addresses. What is registered is not visible before a commit takes it."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from catalog_app.domain.files import NewDataFile, NewDeleteFile
from catalog_app.domain.operations import AddedFile, AttachedDelete
from catalog_app.models import DataFile, DeleteFile


def addresses_allocate(table_id: int, count: int) -> int:
    """The first of ``count`` fresh row addresses of the table. Addresses are never given out twice."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE catalog_app_table SET next_address = next_address + %s WHERE id = %s RETURNING next_address",
            [count, table_id],
        )
        (following,) = cursor.fetchone()
    return int(following) - count


def column_ids_allocate(table_id: int, count: int) -> range:
    """``count`` fresh column ids of the table, unique over all its branches."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE catalog_app_table SET next_column_id = next_column_id + %s WHERE id = %s RETURNING next_column_id",
            [count, table_id],
        )
        (following,) = cursor.fetchone()
    return range(following - count, following)


def data_files_register(table_id: int, files: Sequence[NewDataFile]) -> tuple[AddedFile, ...]:
    """Rows for staged data files, in the same order."""
    rows = [
        DataFile(
            table_id=table_id,
            path=file.path,
            base=file.base,
            rows=file.rows,
            bytes=file.bytes,
            partition=list(file.partition),
            statistics={str(key): value.as_json() for key, value in (file.statistics or {}).items()},
            stores_row_ids=file.stores_row_ids,
            smallest_row_id=file.base if file.smallest_row_id is None else file.smallest_row_id,
            largest_row_id=file.base + file.rows - 1 if file.largest_row_id is None else file.largest_row_id,
        )
        for file in files
    ]
    DataFile.objects.bulk_create(rows, batch_size=1000)
    return tuple(
        AddedFile(
            row.pk,
            row.base,
            row.rows,
            tuple(row.partition),
            row.stores_row_ids,
            row.smallest_row_id,
            row.largest_row_id,
        )
        for row in rows
    )


def delete_files_register(table_id: int, files: Sequence[NewDeleteFile]) -> tuple[AttachedDelete, ...]:
    """Rows for staged delete files, in the same order."""
    rows = [
        DeleteFile(table_id=table_id, data_file_id=file.data_file_id, path=file.path, rows=file.rows, bytes=file.bytes)
        for file in files
    ]
    DeleteFile.objects.bulk_create(rows, batch_size=1000)
    return tuple(AttachedDelete(row.pk, row.data_file_id, row.rows) for row in rows)
