"""Reviews keep which drawn rows their reviewers had before them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0020_second_factor_records")]

    operations = [
        # The database gives it too: a server of the version before may still write reviews.
        migrations.AddField(model_name="review", name="looked_at", field=models.JSONField(default=list, db_default=[])),
    ]
