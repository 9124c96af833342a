"""Rules of protection hold owners of tables."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0038_restrictions")]

    operations = [
        migrations.AddField(model_name="protectionrule", name="owners", field=models.JSONField(default=list)),
        migrations.AddField(
            model_name="protectionrule", name="require_owner_approval", field=models.BooleanField(default=False)
        ),
    ]
