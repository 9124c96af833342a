"""What describes tables to other engines, kept so that it is made once. Nothing else depends on these rows."""

from __future__ import annotations

from django.db import models

from catalog_app.models.catalog import Branch
from catalog_app.models.objects import Table


class PublishedFile(models.Model):
    """A manifest, a manifest list, a delete file with the positions of one data file, or table metadata.

    ``digest`` names all that its content is made of, so one that is there need not be made again. ``rows`` are those
    of a delete file. A file that was not handed out since ``used_at`` may go (VACUUM), and its row with it.
    """

    table = models.ForeignKey(Table, models.CASCADE, related_name="+", db_index=False)
    digest = models.CharField(max_length=64)
    path = models.TextField()
    rows = models.BigIntegerField(default=0)
    bytes = models.BigIntegerField()
    used_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table", "digest"], name="published_file_once")]
        indexes = [models.Index(fields=["used_at"], name="published_file_age")]


class PublishedTable(models.Model):
    """The metadata of one version of a table, in one format, for a warehouse at ``root``.

    The newest commit that changed the table, ``version`` on ``branch``, names what it holds: no other commit has that
    version. All files that ``metadata`` lead to were there at ``published_at``. ``manifests`` say what each one holds,
    under the columns of ``schema_version``: the next version is made of them. 0: of none.
    """

    table = models.ForeignKey(Table, models.CASCADE, related_name="+", db_index=False)
    branch = models.ForeignKey(Branch, models.CASCADE, related_name="+", db_index=False)
    version = models.BigIntegerField()
    format = models.SmallIntegerField()
    root = models.TextField()
    metadata = models.JSONField()
    location = models.TextField()
    published_at = models.DateTimeField()
    schema_version = models.BigIntegerField(default=0, db_default=0)
    manifests = models.JSONField(default=list, db_default=[])

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["table", "branch", "version", "format", "root"], name="published_table_once"
            )
        ]
        indexes = [models.Index(fields=["published_at"], name="published_table_age")]
