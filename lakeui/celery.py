"""The Celery application. Celery is the doorbell; the truth about work is in the database."""

from __future__ import annotations

import os

from celery import Celery

from lakeui.command import settings_require

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")
settings_require()

app = Celery("lakeui")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# No application of Django's, but a part of one.
app.autodiscover_tasks(["merge_app.webhooks"])
