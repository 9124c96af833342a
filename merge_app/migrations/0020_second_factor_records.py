"""Records of accounts may be of a second factor."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0019_audit_checkpoints")]

    operations = [
        migrations.AlterField(
            model_name="accountrecord",
            name="subject",
            field=models.TextField(
                choices=[
                    ("account", "account"),
                    ("group", "group"),
                    ("group member", "group member"),
                    ("link", "link"),
                    ("password", "password"),
                    ("second factor", "second factor"),
                    ("session", "session"),
                ]
            ),
        ),
    ]
