"""Signed checkpoints of audit chains, and webhooks that carry them."""

from django.db import migrations, models

EVENTS = [
    ("merge_request", "Merge Request"),
    ("merge", "Merge"),
    ("commit", "Commit"),
    ("bypass", "Bypass"),
    ("check", "Check"),
    ("drop", "Drop"),
    ("run", "Run"),
    ("task", "Task"),
    ("checkpoint", "Checkpoint"),
    ("ping", "Ping"),
]


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0018_plan_facts")]

    operations = [
        migrations.AddField(model_name="auditchain", name="signed_records", field=models.BigIntegerField(default=0)),
        migrations.AlterField(model_name="webhookdelivery", name="event", field=models.TextField(choices=EVENTS)),
    ]
