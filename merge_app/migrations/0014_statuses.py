"""Statuses that other systems report of merge requests. They are append-only."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

KINDS = [
    ("opened", "Opened"),
    ("state", "State"),
    ("edited", "Edited"),
    ("reviewed", "Reviewed"),
    ("commented", "Commented"),
    ("resolution", "Resolution"),
    ("checked", "Checked"),
    ("status", "Status"),
    ("pushed", "Pushed"),
    ("dropped", "Dropped"),
    ("undropped", "Undropped"),
]
STATES = ["pending", "success", "failure", "error"]


class Migration(migrations.Migration):
    dependencies = [
        ("merge_app", "0013_account_records"),
        ("catalog_app", "0032_required_statuses"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(model_name="timelineentry", name="kind", field=models.TextField(choices=KINDS)),
        migrations.CreateModel(
            name="RequestStatus",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source_head", models.BigIntegerField()),
                ("context", models.TextField()),
                ("state", models.TextField(choices=[(state, state) for state in STATES])),
                ("description", models.TextField(default="")),
                ("target_url", models.TextField(default="")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="statuses",
                        to="merge_app.mergerequest",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["request", "context", "-id"], name="request_status_newest")],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("state__in", STATES)), name="request_status_state"),
                    models.CheckConstraint(
                        condition=models.Q(("context", ""), _negated=True), name="request_status_context_given"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("target_url", ""), ("target_url__regex", "^https?://"), _connector="OR"),
                        name="request_status_target",
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER requeststatus_append_only BEFORE UPDATE OR DELETE ON merge_app_requeststatus"
            " FOR EACH ROW EXECUTE FUNCTION lakeui_refuse_change();",
            "DROP TRIGGER requeststatus_append_only ON merge_app_requeststatus;",
        ),
    ]
