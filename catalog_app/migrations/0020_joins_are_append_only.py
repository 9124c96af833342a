"""A join of two catalogs says from which version on a number names one commit: it is history too."""

from django.db import migrations

TRIGGER = """
CREATE TRIGGER catalogjoin_append_only BEFORE UPDATE OR DELETE ON catalog_app_catalogjoin
FOR EACH ROW EXECUTE FUNCTION lakeui_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0019_deleted_keys"),
    ]

    operations = [
        migrations.RunSQL(TRIGGER, "DROP TRIGGER catalogjoin_append_only ON catalog_app_catalogjoin;"),
    ]
