"""Files that are sent to landing zones of pipelines."""

from __future__ import annotations

import uuid

import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pipelines", "0002_schedule_timezone"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="LandingFile",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("zone", models.TextField()),
                ("name", models.TextField()),
                ("format", models.TextField()),
                ("bytes", models.BigIntegerField()),
                ("digest", models.TextField()),
                ("path", models.TextField()),
                ("reading", models.JSONField()),
                ("columns", models.JSONField()),
                ("rows", models.BigIntegerField()),
                ("warnings", models.JSONField(default=list)),
                ("is_whole", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("claimed_by", models.UUIDField(null=True)),
                ("archived_at", models.DateTimeField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="landing_files",
                        to="pipelines.pipeline",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("pipeline"),
                        django.db.models.functions.text.Lower("zone"),
                        models.OrderBy(models.F("created_at"), descending=True),
                        name="landing_file_of_zone",
                    ),
                    models.Index(fields=["archived_at"], name="landing_file_archived"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("pipeline"),
                        django.db.models.functions.text.Lower("zone"),
                        models.F("name"),
                        condition=models.Q(("archived_at__isnull", True), ("is_whole", True)),
                        name="landing_file_waits_once",
                    )
                ],
            },
        ),
    ]
