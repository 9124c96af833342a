"""Tables count the numbers of their identity columns."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0036_merge_policies")]

    operations = [
        migrations.AddField(
            model_name="table", name="next_identity", field=models.BigIntegerField(default=0, db_default=0)
        )
    ]
