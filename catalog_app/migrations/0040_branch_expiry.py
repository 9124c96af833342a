"""Branches may have a time at which they are dropped."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0039_owners_of_tables"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("branch", "expires_at", models.DateTimeField(null=True)),
        migrations.AddField("branch", "expiry_set_at", models.DateTimeField(null=True)),
        migrations.AddField("branch", "expiry_announced_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "branch",
            "expiry_set_by",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            "branch",
            models.Index(
                fields=["expires_at"],
                name="branch_expiry",
                condition=Q(("dropped_at__isnull", True), ("expires_at__isnull", False)),
            ),
        ),
    ]
