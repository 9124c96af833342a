"""How long a branch of an agent lives at most."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0041_branch_successor")]

    operations = [migrations.AddField("agent", "branch_days", models.PositiveIntegerField(null=True))]
