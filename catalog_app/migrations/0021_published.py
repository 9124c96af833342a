"""What describes tables to other engines is kept: files by what they say, metadata by version."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0020_joins_are_append_only"),
    ]

    operations = [
        migrations.CreateModel(
            name="PublishedFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.CharField(max_length=64)),
                ("path", models.TextField()),
                ("rows", models.BigIntegerField(default=0)),
                ("bytes", models.BigIntegerField()),
                ("used_at", models.DateTimeField()),
                (
                    "table",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="catalog_app.table",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["used_at"], name="published_file_age")],
                "constraints": [models.UniqueConstraint(fields=("table", "digest"), name="published_file_once")],
            },
        ),
        migrations.CreateModel(
            name="PublishedTable",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.BigIntegerField()),
                ("format", models.SmallIntegerField()),
                ("root", models.TextField()),
                ("metadata", models.JSONField()),
                ("location", models.TextField()),
                ("published_at", models.DateTimeField()),
                (
                    "branch",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="catalog_app.branch",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="catalog_app.table",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["published_at"], name="published_table_age")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("table", "branch", "version", "format", "root"), name="published_table_once"
                    )
                ],
            },
        ),
    ]
