"""The time zone of a schedule. Until now every schedule was in UTC."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pipelines", "0001_initial")]

    operations = [
        migrations.AddField("pipeline", "schedule_timezone", models.TextField(default="UTC")),
    ]
