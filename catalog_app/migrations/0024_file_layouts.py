"""Files say by which transforms of columns their rows were laid."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0022_views_say_more"),
    ]

    operations = [
        migrations.AddField(model_name="datafile", name="layout", field=models.JSONField(default=list, db_default=[])),
    ]
