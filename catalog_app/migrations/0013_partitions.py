"""Partition values move from files to segments, so that a partition is renamed without its files."""

from django.db import migrations, models

FILL = """
ALTER TABLE catalog_app_segment DISABLE TRIGGER segment_append_only;
UPDATE catalog_app_segment s SET partition = f.partition,
    partition_stamp = CASE WHEN s.kind = 'move' THEN s.stamp ELSE 0 END,
    partition_kind = CASE WHEN s.kind = 'move' THEN 'move' ELSE '' END
FROM catalog_app_datafile f
WHERE f.id = s.file_id AND (f.partition <> '[]'::jsonb OR s.kind = 'move');
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE catalog_app_segment ENABLE TRIGGER segment_append_only;
"""

PROVE = """
DO $$
DECLARE wrong bigint;
BEGIN
    SELECT count(*) INTO wrong FROM catalog_app_segment s LEFT JOIN catalog_app_datafile f ON f.id = s.file_id
    WHERE f.id IS NULL OR s.partition <> f.partition;
    IF wrong > 0 THEN
        RAISE EXCEPTION '% segments have another partition than their file', wrong;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0012_attribute_stamps")]

    operations = [
        migrations.AddField("segment", "partition", models.JSONField(db_default=[], default=list)),
        migrations.AddField("segment", "partition_stamp", models.BigIntegerField(db_default=0)),
        migrations.AddField("segment", "partition_kind", models.TextField(db_default="")),
        migrations.AddField("segment", "partition_brings", models.BigIntegerField(null=True)),
        migrations.AddField("segment", "partition_undoes", models.BigIntegerField(null=True)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RunSQL(PROVE, migrations.RunSQL.noop),
        migrations.AddIndex(
            "segment",
            models.Index(fields=["table"], name="segment_moved", condition=models.Q(("partition_stamp__gt", 0))),
        ),
    ]
