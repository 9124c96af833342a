"""What a person says of a commit."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0043_names_of_other_letters")]

    operations = [migrations.AddField("commit", "message", models.TextField(default="", db_default=""))]
