"""Files, which are immutable and shared, and segments: a file as one branch sees it."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from catalog_app.models.catalog import Branch, CommitOperation
from catalog_app.models.objects import Table
from catalog_app.models.schemas import SchemaDefinition


class DataFile(models.Model):
    """A Parquet file of rows, as one table has it. It owns the addresses ``[base, base + rows)`` of its table.

    Tables that were cloned share files: each has a row of its own with that path. The bytes go when all have expired.

    ``partition`` lists one text or null per partition column, as the file stores these columns: where its rows are now
    says the segment. ``layout`` lists what transforms of columns are for each row (``catalog_app.domain.transforms``).
    A file of rows of which that is not known lists nothing. ``statistics`` maps column id to
    ``[minimum, maximum, null count]``; paths are relative to the warehouse; sizes are bytes.

    ``stores_stamps``: the file holds rows of several commits, each with its stamp in the column
    ``_last_updated_sequence_number`` (Iceberg v3, field id 2147483539); NULL there is the stamp of the segment.

    A file that was taken over has an absolute path and stays where it lies: lakeui never removes it. ``by_name``: it
    has no field ids, and its columns are found by name. ``lacks_partition``: only its folder's name said its
    ``partition``.
    """

    table = models.ForeignKey(Table, models.PROTECT, related_name="+")
    path = models.TextField()
    base = models.BigIntegerField()
    rows = models.BigIntegerField()
    bytes = models.BigIntegerField()
    partition = models.JSONField(default=list)
    layout = models.JSONField(default=list, db_default=[])
    statistics = models.JSONField(default=dict)
    stores_row_ids = models.BooleanField(default=False)
    smallest_row_id = models.BigIntegerField()
    largest_row_id = models.BigIntegerField()
    stores_stamps = models.BooleanField(default=False, db_default=False)
    smallest_stamp = models.BigIntegerField(null=True)
    largest_stamp = models.BigIntegerField(null=True)
    by_name = models.BooleanField(default=False, db_default=False)
    lacks_partition = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["path", "table"], name="data_file_path_unique"),
            models.UniqueConstraint(fields=["table", "base"], name="data_file_base_unique"),
            models.UniqueConstraint(fields=["id", "table"], name="data_file_of_table"),
            models.CheckConstraint(condition=Q(rows__gt=0, bytes__gt=0, base__gte=0), name="data_file_not_empty"),
            models.CheckConstraint(condition=Q(largest_row_id__gte=F("smallest_row_id")), name="data_file_row_ids"),
        ]


class DeleteFile(models.Model):
    """Positions of rows of one data file that are gone for whoever attaches it. Clones share it as data files."""

    table = models.ForeignKey(Table, models.PROTECT, related_name="+")
    data_file = models.ForeignKey(DataFile, models.PROTECT, related_name="+", db_constraint=False)
    path = models.TextField()
    rows = models.BigIntegerField()
    bytes = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["path", "table"], name="delete_file_path_unique"),
            models.UniqueConstraint(fields=["id", "table"], name="delete_file_of_table"),
            models.CheckConstraint(condition=Q(rows__gt=0), name="delete_file_not_empty"),
        ]


class SegmentEvent(models.Model):
    """What a branch shows of rows since a version, and the facts of these rows (lineage.md §1, §11).

    ``stamp`` is the version of the commit that decided them, ``kind`` what it did. A merge copies both, and writes its
    own version. ``brings_stamp`` and ``brings_kind`` are those of the fact that a restore set again, and
    ``undoes_stamp`` is the stamp of the one that it replaced.
    """

    table = models.ForeignKey(Table, models.PROTECT, related_name="+", db_constraint=False, db_index=False)
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="+", db_index=False)
    operation = models.ForeignKey(CommitOperation, models.PROTECT, null=True, related_name="+")
    stamp = models.BigIntegerField(db_default=0)
    kind = models.TextField(db_default="")
    brings_stamp = models.BigIntegerField(null=True)
    brings_kind = models.TextField(db_default="")
    undoes_stamp = models.BigIntegerField(null=True)

    class Meta:
        abstract = True


class Segment(SegmentEvent):
    """A data file that a branch took into a table at ``added_version``.

    ``schema_version`` is the version it was written under, found in TableSchemaHistory when ``is_visible`` and in
    InvisibleSchemaHistory when not; ``definition`` is that version's content. The composite foreign keys of the
    first migration keep file, segment and table together.

    ``partition`` is where the rows of the file lie. ``partition_stamp`` and ``partition_kind`` say who decided that
    ("move" or "restore"); 0: whoever wrote the rows. ``partition_brings`` is the stamp that a restored partition had
    before, ``partition_undoes`` that of the fact which was replaced; null: of whoever wrote the rows.
    """

    added_version = models.BigIntegerField()
    file = models.ForeignKey(DataFile, models.PROTECT, related_name="+", db_constraint=False, db_index=False)
    definition = models.ForeignKey(SchemaDefinition, models.PROTECT, related_name="+", db_index=False)
    schema_version = models.BigIntegerField()
    is_visible = models.BooleanField()
    partition = models.JSONField(default=list, db_default=[])
    partition_stamp = models.BigIntegerField(db_default=0)
    partition_kind = models.TextField(db_default="")
    partition_brings = models.BigIntegerField(null=True)
    partition_undoes = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["branch", "file", "added_version"], name="segment_once_a_version"),
            models.UniqueConstraint(fields=["id", "table"], name="segment_of_table"),
        ]
        indexes = [
            models.Index(fields=["table", "branch", "added_version"], name="segment_branch_version"),
            models.Index(fields=["table"], name="segment_moved", condition=Q(partition_stamp__gt=0)),
        ]


class SegmentRemoval(SegmentEvent):
    """A segment, own or inherited, that a branch removed at ``removed_version``."""

    removed_version = models.BigIntegerField()
    segment = models.ForeignKey(Segment, models.PROTECT, related_name="+", db_constraint=False, db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["branch", "segment"], name="segment_removed_once")]
        indexes = [models.Index(fields=["table", "branch", "removed_version"], name="removal_branch_version")]


class SegmentDelete(SegmentEvent):
    """A delete file that a branch attached to a segment, own or inherited, at ``attached_version``."""

    attached_version = models.BigIntegerField()
    segment = models.ForeignKey(Segment, models.PROTECT, related_name="+", db_constraint=False, db_index=False)
    delete_file = models.ForeignKey(DeleteFile, models.PROTECT, related_name="+", db_constraint=False, db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["branch", "segment", "delete_file"], name="segment_delete_once")]
        indexes = [models.Index(fields=["table", "branch", "attached_version"], name="delete_branch_version")]


class SegmentStamp(SegmentEvent):
    """Rows of a segment, named by the positions of ``rows_file``, whose fact a branch decided at ``stamped_version``
    although their image stays where it is. The rows live again, or a merge kept them.
    """

    stamped_version = models.BigIntegerField()
    segment = models.ForeignKey(Segment, models.PROTECT, related_name="+", db_constraint=False, db_index=False)
    rows_file = models.ForeignKey(DeleteFile, models.PROTECT, related_name="+", db_constraint=False, db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["branch", "segment", "rows_file"], name="segment_stamp_once")]
        indexes = [models.Index(fields=["table", "branch", "stamped_version"], name="stamp_branch_version")]


class ExpiredFile(models.Model):
    """A data or delete file that nothing can reach any more. Its bytes are going. Since ``removed_at`` they are gone,
    or left to other tables that share them and have not let them expire.

    ``data_file`` and ``delete_file`` are both null for a file that was staged but never registered.
    """

    path = models.TextField()
    bytes = models.BigIntegerField()
    data_file = models.OneToOneField(DataFile, models.PROTECT, null=True, related_name="+")
    delete_file = models.OneToOneField(DeleteFile, models.PROTECT, null=True, related_name="+")
    expired_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["id"], name="expired_file_waiting", condition=Q(removed_at__isnull=True))]


class DeletedKeys(models.Model):
    """Tombstones: keys that a commit took away from a table for good, with the watermarks of their deletes.

    ``columns`` say by which columns: those of the key, in order, then the watermark. ``content`` is a Parquet file of
    ``rows`` rows with two texts each: digest of the key, watermark. One commit may have several. Files that COPY INTO
    loaded are kept so too, as they move with commits alike (``COPIED``). Without rows it says
    that from this version on those count that counted at ``restores``.
    """

    table = models.ForeignKey(Table, models.PROTECT, related_name="+", db_index=False)
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="+", db_index=False)
    version = models.BigIntegerField()
    columns = ArrayField(models.TextField())
    rows = models.BigIntegerField()
    content = models.BinaryField()
    restores = models.BigIntegerField(null=True)
    kept_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(rows__gt=0, restores__isnull=True) | Q(rows=0, restores__isnull=False),
                name="deleted_keys_not_empty",
            ),
        ]
        indexes = [
            models.Index(fields=["table", "branch", "version"], name="deleted_keys_version"),
            models.Index(fields=["kept_at"], name="deleted_keys_age"),
        ]
