from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0007_already_done"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="commitoperation",
            index=models.Index(
                condition=models.Q(("metrics__has_key", "restored_version")),
                fields=["branch", "version"],
                name="operation_restore",
            ),
        ),
    ]
