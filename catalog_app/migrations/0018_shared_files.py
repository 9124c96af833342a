"""A clone of a table has its files by the same paths: a path is unique in a table, no more in all."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0017_catalog_joins"),
    ]

    operations = [
        migrations.AlterField("datafile", "path", models.TextField()),
        migrations.AlterField("deletefile", "path", models.TextField()),
        migrations.AlterField("expiredfile", "path", models.TextField()),
        migrations.AddConstraint(
            "datafile", models.UniqueConstraint(fields=("path", "table"), name="data_file_path_unique")
        ),
        migrations.AddConstraint(
            "deletefile", models.UniqueConstraint(fields=("path", "table"), name="delete_file_path_unique")
        ),
    ]
