"""The Celery application. Celery only notifies workers; what work there is stands in the database."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import task_prerun

from lakeui.runtime.calling import settings_require

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")
settings_require()
# Django's checks load every view, which no worker needs. ``prepare`` runs them before a version starts.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("lakeui")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# No applications of Django's, but parts of one.
app.autodiscover_tasks(["merge_app.mails", "merge_app.webhooks"])
# Celery closes the connection to the database after each task unless a number is said. A new one, with plans that are
# made anew, costs PostgreSQL more than a small write.
app.conf["CELERY_DB_REUSE_MAX"] = 2**62


@task_prerun.connect
def connection_require(**_: Any) -> None:
    """A task begins with a connection that lives, as a request does: one that is broken or old is made anew."""
    # Here, because settings are read where Django is first used.
    from django.db import close_old_connections

    close_old_connections()
