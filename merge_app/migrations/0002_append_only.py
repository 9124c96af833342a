"""Audit records are append-only, like all history."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0001_audit"), ("catalog_app", "0002_append_only")]

    operations = [
        migrations.RunSQL(
            "CREATE TRIGGER mergeattempt_append_only BEFORE UPDATE OR DELETE ON merge_app_mergeattempt"
            " FOR EACH ROW EXECUTE FUNCTION lakeui_refuse_change();",
            "DROP TRIGGER mergeattempt_append_only ON merge_app_mergeattempt;",
        ),
    ]
