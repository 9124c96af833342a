"""Checks of templates, and how many rows they look at."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0023_mails")]

    operations = [
        migrations.AddField("check", "template", models.TextField(default="")),
        migrations.AddField("check", "parameters", models.JSONField(default=dict)),
        migrations.AddField("checkresult", "rows_seen", models.BigIntegerField(null=True)),
        migrations.AddField("checkresult", "rows_bad", models.BigIntegerField(null=True)),
    ]
