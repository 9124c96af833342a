"""Tombstones of pipelines: kept with the commit that took the keys away, on its branch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
from django.db import connection

from catalog_app.models import Catalog, DeletedKeys

COLUMNS = ("key", "watermark")
COPIED = ["copied file"]
"""The ``columns`` of files that COPY INTO loaded: their keys are paths, their watermarks size and time. No column
is called so here, as columns go by ids.
"""
_OVERWRITES = """o.branch_id = %(workspace)s AND o.object_kind = 'table' AND o.kind = 'overwrite'
    AND o.overwrite->>'partitions' IS NULL AND NOT o.metrics ? 'restored_version'"""
_OVERRULED = f"""
DELETE FROM catalog_app_deletedkeys d
WHERE d.branch_id = %(workspace)s AND d.restores IS NOT NULL AND (
  EXISTS (
    SELECT FROM catalog_app_deletedkeys k
    WHERE k.branch_id = d.branch_id AND k.table_id = d.table_id AND k.restores IS NOT NULL AND k.version > d.version
  ) OR EXISTS (
    SELECT FROM catalog_app_commitoperation o
    WHERE o.object_id = d.table_id AND o.version > d.version AND {_OVERWRITES}
  )
)
"""
# Nothing counted at version 0.
_CLEARED = f"""
INSERT INTO catalog_app_deletedkeys (table_id, branch_id, version, columns, rows, content, restores, kept_at)
SELECT DISTINCT o.object_id, o.branch_id, 0::bigint, ARRAY[]::text[], 0::bigint, ''::bytea, 0::bigint, now()
FROM catalog_app_commitoperation o
WHERE {_OVERWRITES}
  AND EXISTS (SELECT FROM catalog_app_deletedkeys k WHERE k.table_id = o.object_id)
  AND NOT EXISTS (
    SELECT FROM catalog_app_deletedkeys k
    WHERE k.branch_id = o.branch_id AND k.table_id = o.object_id AND k.restores IS NOT NULL
  )
"""


def deleted_keys_register(
    *, table_id: int, branch_id: int, version: int, columns: Sequence[str], parts: Sequence[pa.Table]
) -> None:
    """Part of the commit's transaction. Each of ``parts`` has ``COLUMNS``, texts."""
    DeletedKeys.objects.bulk_create(
        DeletedKeys(
            table_id=table_id,
            branch_id=branch_id,
            version=version,
            columns=list(columns),
            rows=part.num_rows,
            content=_packed(part),
        )
        for part in parts
    )


def deleted_keys_copy(identities: Collection[int], *, table_id: int, branch_id: int, version: int) -> None:
    """Keep those of another table for this one, too. Part of the commit's transaction."""
    DeletedKeys.objects.bulk_create(
        DeletedKeys(
            table_id=table_id,
            branch_id=branch_id,
            version=version,
            columns=item.columns,
            rows=item.rows,
            content=item.content,
        )
        for item in DeletedKeys.objects.filter(pk__in=identities).order_by("pk")
    )


def _packed(part: pa.Table) -> bytes:
    target = pa.BufferOutputStream()
    pq.write_table(part, target, compression="zstd")
    return bytes(target.getvalue())


def deleted_keys_unpack(content: bytes) -> pa.Table:
    return pq.read_table(pa.BufferReader(content))


def deleted_keys_restore(*, tables: Collection[int], branch_id: int, version: int, restores: int) -> None:
    """From ``version`` on, those of the tables count that counted at ``restores``. Part of the commit's transaction."""
    DeletedKeys.objects.bulk_create(
        DeletedKeys(
            table_id=table_id, branch_id=branch_id, version=version, columns=[], rows=0, content=b"", restores=restores
        )
        for table_id in tables
    )


def deleted_keys_publish(*, workspace_id: int, branch_id: int, version: int, counting: Collection[int]) -> None:
    """Those of a transaction's workspace are of its commit: no branch reaches the workspace. The others than those
    ``counting`` where it ended go, as the commit does not say which came first. Of a table's restores the last one
    counts, and where the table was overwritten after it, none: the commit may show neither. Part of the commit's
    transaction.
    """
    forgotten = DeletedKeys.objects.filter(branch_id=workspace_id, restores__isnull=True)
    forgotten.exclude(pk__in=counting).delete()
    with connection.cursor() as cursor:
        cursor.execute(_OVERRULED, {"workspace": workspace_id})
        cursor.execute(_CLEARED, {"workspace": workspace_id})
    DeletedKeys.objects.filter(branch_id=workspace_id).update(branch_id=branch_id, version=version)


def deleted_keys_expire(catalog: Catalog, *, before: datetime) -> None:
    """Take away those that do not count any more for their age. What COPY INTO loaded counts for ever, and with it what
    restores say of its table. Part of the caller's transaction.
    """
    copied = DeletedKeys.objects.filter(columns=COPIED).values("table_id")
    aged = DeletedKeys.objects.filter(branch__catalog=catalog, kept_at__lt=before).exclude(columns=COPIED)
    aged.exclude(restores__isnull=False, table_id__in=copied).delete()
