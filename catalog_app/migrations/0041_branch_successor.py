"""A branch that was reset names the one that took its name."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0040_branch_expiry")]

    operations = [
        migrations.AddField(
            "branch",
            "successor",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="predecessors",
                to="catalog_app.branch",
            ),
        ),
    ]
