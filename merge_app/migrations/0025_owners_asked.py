"""Owners of changed tables are asked for reviews."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0024_check_templates")]

    operations = [
        migrations.AddField(
            model_name="requestedreviewer", name="is_owner", field=models.BooleanField(db_default=False, default=False)
        ),
    ]
