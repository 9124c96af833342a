"""The form of a webhook's messages."""

from django.db import migrations, models
from django.db.models import Q

FORMS = [("event", "Event"), ("chat", "Chat")]


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0021_spot_checks")]

    operations = [
        migrations.AddField(
            model_name="webhook",
            name="form",
            field=models.TextField(choices=FORMS, default="event", db_default="event"),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(condition=Q(form__in=["event", "chat"]), name="webhook_form"),
        ),
    ]
