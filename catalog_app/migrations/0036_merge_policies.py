"""Rules of protection hold merge policies, and count their versions."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0034_kept_results"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(model_name="protectionrule", name="policies", field=models.JSONField(default=list)),
        migrations.AddField(model_name="protectionrule", name="version", field=models.PositiveIntegerField(default=1)),
        migrations.AddField(
            model_name="protectionrule",
            name="policies_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
