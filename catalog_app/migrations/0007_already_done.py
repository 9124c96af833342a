from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0006_people"),
    ]

    operations = [
        migrations.AddField(
            model_name="commitoperation",
            name="already_done",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
