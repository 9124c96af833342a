"""Tables take over files where they lie: some have no field ids, some store no values of their partition."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0025_sql_sessions"),
    ]

    operations = [
        migrations.AddField(
            model_name="datafile", name="by_name", field=models.BooleanField(default=False, db_default=False)
        ),
        migrations.AddField(
            model_name="datafile", name="lacks_partition", field=models.BooleanField(default=False, db_default=False)
        ),
    ]
