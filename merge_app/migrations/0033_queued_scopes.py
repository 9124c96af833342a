"""A request in a merge queue keeps the scopes of the token that put it there."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0032_parts_decided")]

    operations = [
        migrations.AddField("mergerequest", "queued_scopes", ArrayField(models.TextField(), null=True)),
    ]
