"""Tombstones of pipelines: keys that a run took away, kept with its commit."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0018_shared_files"),
    ]

    operations = [
        migrations.CreateModel(
            name="DeletedKeys",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.BigIntegerField()),
                ("columns", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ("rows", models.BigIntegerField()),
                ("content", models.BinaryField()),
                ("restores", models.BigIntegerField(null=True)),
                ("kept_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "branch",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="catalog_app.branch",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="catalog_app.table",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["table", "branch", "version"], name="deleted_keys_version"),
                    models.Index(fields=["kept_at"], name="deleted_keys_age"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("restores__isnull", True), ("rows__gt", 0)),
                            models.Q(("restores__isnull", False), ("rows", 0)),
                            _connector="OR",
                        ),
                        name="deleted_keys_not_empty",
                    )
                ],
            },
        ),
    ]
