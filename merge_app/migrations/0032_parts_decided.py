"""Merges find the decisions of earlier ones about parts of tables without reading all records."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0031_webhook_events")]

    operations = [
        migrations.AddIndex(
            model_name="mergeattempt",
            index=models.Index(
                fields=["catalog", "version"],
                name="merge_attempt_parts_decided",
                condition=Q(body__resolutions__contains=[{"object_kind": "table"}]),
            ),
        ),
    ]
