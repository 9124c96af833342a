"""Events of webhooks: commits, bypasses, checks, drops, runs and tasks too."""

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
    ("ping", "Ping"),
]


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0015_comments_on_rows")]

    operations = [
        migrations.AlterField(model_name="webhookdelivery", name="event", field=models.TextField(choices=EVENTS)),
    ]
