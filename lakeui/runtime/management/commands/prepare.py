"""``manage.py prepare``: what a database and its web server need before the first request."""

from __future__ import annotations

import shutil
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand

from lakeui.runtime.upgrading import upgrade

FIRST_USER = "admin"


class Command(BaseCommand):
    help = "Migrate, collect static files, and make the user admin (LAKEUI_ADMIN_PASSWORD) when there is no user."

    def handle(self, *args: Any, **options: Any) -> None:
        upgrade(self.stdout.write)
        call_command("collectstatic", interactive=False, verbosity=0)
        # Counters of web processes that are gone: a restart begins anew, as monitors expect.
        shutil.rmtree(settings.LAKEUI["METRICS"], ignore_errors=True)
        password = settings.VARIABLES.admin_password
        users = get_user_model().objects
        if users.exists():
            return
        if not password:
            self.stdout.write(f"No user {FIRST_USER} was made: LAKEUI_ADMIN_PASSWORD is not set.")
            return
        users.create_superuser(FIRST_USER, password=password)
        self.stdout.write(f"created the user {FIRST_USER}")
