"""Mails and messages say that a branch expires."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0026_saved_queries")]

    operations = [
        migrations.AlterField(
            model_name="mail",
            name="event",
            field=models.TextField(
                choices=[
                    ("review_asked", "Review Asked"),
                    ("request_reviewed", "Request Reviewed"),
                    ("request_commented", "Request Commented"),
                    ("request_merged", "Request Merged"),
                    ("request_refused", "Request Refused"),
                    ("task_succeeded", "Task Succeeded"),
                    ("task_failed", "Task Failed"),
                    ("pipeline_failed", "Pipeline Failed"),
                    ("branch_expires", "Branch Expires"),
                    ("test", "Test"),
                ]
            ),
        ),
        migrations.AlterField(
            model_name="webhookdelivery",
            name="event",
            field=models.TextField(
                choices=[
                    ("merge_request", "Merge Request"),
                    ("merge", "Merge"),
                    ("commit", "Commit"),
                    ("bypass", "Bypass"),
                    ("check", "Check"),
                    ("drop", "Drop"),
                    ("expiry", "Expiry"),
                    ("run", "Run"),
                    ("task", "Task"),
                    ("checkpoint", "Checkpoint"),
                    ("ping", "Ping"),
                ]
            ),
        ),
    ]
