"""Values that comments suggest for cells."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("merge_app", "0028_kept_statements"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Suggestion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("was", models.JSONField(null=True)),
                ("value", models.JSONField(null=True)),
                ("task_id", models.UUIDField(null=True)),
                ("asked_at", models.DateTimeField(null=True)),
                (
                    "applied_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "comment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="suggestion", to="merge_app.comment"
                    ),
                ),
            ],
        ),
    ]
