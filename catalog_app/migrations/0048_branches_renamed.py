"""What a branch was called before it was renamed. Names of before this migration are not known."""

import django.contrib.postgres.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0047_former_names"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="branch",
            name="former_names",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), db_default=[], default=list, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="branch",
            index=models.Index(
                condition=models.Q(("former_names", []), _negated=True), fields=["catalog"], name="branch_renamed"
            ),
        ),
    ]
