"""Rows and columns of tables may be hidden from roles and groups."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

ROLES = ["viewer", "contributor", "reviewer", "maintainer", "owner"]


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("catalog_app", "0037_identity_columns"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Restriction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("table_id", models.BigIntegerField()),
                ("table_name", models.TextField()),
                ("role", models.TextField(choices=[(role, role) for role in ROLES], default="")),
                ("row_filter", models.TextField(default="")),
                ("masks", models.JSONField(default=list)),
                ("names", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "catalog",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="catalog_app.catalog"
                    ),
                ),
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
                    "group",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="auth.group"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("catalog", "table_id", "role"),
                        name="restriction_of_role_once",
                        condition=Q(group=None),
                    ),
                    models.UniqueConstraint(fields=("catalog", "table_id", "group"), name="restriction_of_group_once"),
                    models.CheckConstraint(
                        condition=Q(role__in=ROLES[:-1], group=None) | Q(role="", group__isnull=False),
                        name="restriction_of_role_or_group",
                    ),
                    models.CheckConstraint(condition=~Q(row_filter="", masks=[]), name="restriction_hides_something"),
                ],
            },
        ),
    ]
