"""Webhooks get events of references, and of records of the audit. The database is as it was."""

from django.db import migrations, models

EVENTS = [
    ("merge_request", "Merge Request"),
    ("merge", "Merge"),
    ("commit", "Commit"),
    ("bypass", "Bypass"),
    ("check", "Check"),
    ("reference", "Reference"),
    ("drop", "Drop"),
    ("expiry", "Expiry"),
    ("run", "Run"),
    ("task", "Task"),
    ("record", "Record"),
    ("checkpoint", "Checkpoint"),
    ("ping", "Ping"),
]


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0030_chat_messages")]

    operations = [
        migrations.AlterField(model_name="webhookdelivery", name="event", field=models.TextField(choices=EVENTS)),
    ]
