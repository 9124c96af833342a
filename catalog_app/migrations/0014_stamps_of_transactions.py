"""What a transaction wrote has the stamp of its commit: until now a COMMIT left the stamps of its workspace."""

from django.db import migrations

RESTAMP = """
ALTER TABLE catalog_app_segment DISABLE TRIGGER segment_append_only;
UPDATE catalog_app_segment s SET stamp = x.version
FROM catalog_app_branch b, catalog_app_commit c, catalog_app_transaction x
WHERE b.id = s.branch_id AND NOT b.is_workspace AND c.catalog_id = b.catalog_id AND c.version = s.stamp
  AND x.workspace_id = c.branch_id AND x.version IS NOT NULL;
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE catalog_app_segment ENABLE TRIGGER segment_append_only;
"""


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0013_partitions")]

    operations = [migrations.RunSQL(RESTAMP, migrations.RunSQL.noop)]
