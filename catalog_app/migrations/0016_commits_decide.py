"""Commits say whether they are news. Of those before, each counts as such: branches only seem further apart."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0015_merge_conflicts"),
    ]

    operations = [
        migrations.AddField(
            model_name="commit",
            name="decides",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
