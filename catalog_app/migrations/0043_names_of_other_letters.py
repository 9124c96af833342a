"""Indexes of names that are not of ASCII letters alone, with which new names are compared."""

from django.db import migrations, models

_OTHER_LETTERS = models.Q(name__regex=r"[^\x01-\x7F]")


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0042_agent_branch_days")]

    operations = [
        migrations.AddIndex(
            "branch", models.Index(fields=["catalog"], name="branch_other_letters", condition=_OTHER_LETTERS)
        ),
        migrations.AddIndex(
            "tag", models.Index(fields=["catalog"], name="tag_other_letters", condition=_OTHER_LETTERS)
        ),
    ]
