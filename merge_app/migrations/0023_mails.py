"""What people want by mail, and the mails."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("catalog_app", "0036_merge_policies"),
        ("merge_app", "0022_webhook_forms"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="MailChoice",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("address", models.TextField(default="")),
                (
                    "events",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Mail",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "event",
                    models.TextField(
                        choices=[
                            ("review_asked", "Review Asked"),
                            ("request_reviewed", "Request Reviewed"),
                            ("request_commented", "Request Commented"),
                            ("request_merged", "Request Merged"),
                            ("request_refused", "Request Refused"),
                            ("task_succeeded", "Task Succeeded"),
                            ("task_failed", "Task Failed"),
                            ("pipeline_failed", "Pipeline Failed"),
                            ("test", "Test"),
                        ]
                    ),
                ),
                ("key", models.TextField()),
                ("subject", models.TextField()),
                ("body", models.TextField()),
                ("path", models.TextField()),
                ("address", models.TextField(default="")),
                (
                    "state",
                    models.TextField(
                        choices=[("pending", "Pending"), ("sent", "Sent"), ("failed", "Failed")], default="pending"
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("error", models.TextField(default="")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("next_attempt_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("attempted_at", models.DateTimeField(null=True)),
                (
                    "catalog",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="catalog_app.catalog",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["user", "-created_at"], name="mail_newest"),
                    models.Index(condition=models.Q(("state", "pending")), fields=["next_attempt_at"], name="mail_due"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["pending", "sent", "failed"])), name="mail_state"
                    ),
                    models.UniqueConstraint(fields=("user", "key"), name="mail_once"),
                ],
            },
        ),
    ]
