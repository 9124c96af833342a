"""Merge requests keep what policies are judged on of the last plan."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0016_more_events")]

    operations = [
        migrations.AddField(model_name="mergerequest", name="planned_facts", field=models.JSONField(default=dict)),
    ]
