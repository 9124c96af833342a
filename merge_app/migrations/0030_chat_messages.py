"""People choose what their chat gets, beside their mail."""

import django.contrib.postgres.fields
from django.db import migrations, models
from django.db.models import Q

CHANNELS = [("mail", "Mail"), ("chat", "Chat")]


class Migration(migrations.Migration):
    dependencies = [("merge_app", "0029_suggestions")]

    operations = [
        migrations.AddField("mailchoice", "chat_url", models.TextField(default="", db_default="")),
        migrations.AddField(
            "mailchoice",
            "chat_events",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), default=list, db_default=[], size=None
            ),
        ),
        migrations.AddField("mailchoice", "chat_set_at", models.DateTimeField(null=True)),
        migrations.AddField("mail", "channel", models.TextField(choices=CHANNELS, default="mail", db_default="mail")),
        migrations.AddConstraint(
            "mail", models.CheckConstraint(condition=Q(channel__in=["mail", "chat"]), name="mail_channel")
        ),
    ]
