"""SQL sessions of people."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0024_file_layouts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SqlSession",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("catalog", models.TextField(default="")),
                ("branch", models.TextField(default="main")),
                ("database", models.TextField(default="")),
                ("temporary_views", models.JSONField(default=dict)),
                ("temporary_functions", models.JSONField(default=dict)),
                ("partition_overwrite", models.TextField(default="static")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("used_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "transaction",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="catalog_app.transaction",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["owner", "-created_at", "-id"], name="sql_session_of"),
                    models.Index(fields=["used_at"], name="sql_session_idle"),
                ],
            },
        ),
    ]
