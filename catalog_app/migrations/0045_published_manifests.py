"""What the manifests of a published version hold, from which the next version is made."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0044_commit_message")]

    operations = [
        migrations.AddField("publishedtable", "schema_version", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddField("publishedtable", "manifests", models.JSONField(default=list, db_default=[])),
    ]
