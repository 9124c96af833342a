"""Views name their columns, have properties, and keep what their queries name."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0021_published"),
    ]

    operations = [
        migrations.AddField(model_name="viewrecord", name="columns", field=models.JSONField(default=list)),
        migrations.AddField(model_name="viewrecord", name="properties", field=models.JSONField(default=dict)),
        migrations.AddField(model_name="viewrecord", name="reads", field=models.JSONField(default=list)),
    ]
