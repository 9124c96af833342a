"""Protection rules ask for statuses that other systems report."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0029_group_roles")]

    operations = [
        migrations.AddField(
            model_name="protectionrule",
            name="required_statuses",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
        ),
    ]
