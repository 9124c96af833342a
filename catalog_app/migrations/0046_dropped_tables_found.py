"""An index of the names of dropped tables: branches that were made before the drop still have them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0045_published_manifests")]

    operations = [
        migrations.AddIndex(
            "tablerecord",
            models.Index(
                fields=["branch", "name_key"],
                condition=models.Q(superseded_version__isnull=True, is_dropped=True),
                name="table_record_dropped",
            ),
        ),
    ]
