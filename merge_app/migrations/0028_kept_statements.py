"""Statements that people ran, for themselves."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("merge_app", "0027_branch_expiry_events"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptStatement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("catalog", models.TextField(default="")),
                ("branch", models.TextField()),
                ("text", models.TextField()),
                ("is_cut", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("milliseconds", models.BigIntegerField(null=True)),
                ("outcome", models.TextField(default="")),
                ("row_count", models.BigIntegerField(null=True)),
                ("version", models.BigIntegerField(null=True)),
                ("task_id", models.UUIDField(null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["owner", "-created_at", "-id"], name="kept_statement_newest")],
                "constraints": [models.UniqueConstraint(fields=("task_id",), name="kept_statement_of_task")],
            },
        ),
    ]
