"""``manage.py up``: everything on one machine."""

from __future__ import annotations

import errno
import os
import secrets
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from lakeui.common.errors import LakeError
from lakeui.runtime.supervisor import Supervisor, UpOptions


class Command(BaseCommand):
    help = "Start PostgreSQL, Redis, Spark, a worker and the web server here; Ctrl-C stops everything."
    # There is no database to check anything against before this command has started one.
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = settings.VARIABLES.admin_password
        plan = UpOptions(
            base=settings.BASE_DIR,
            home=settings.HOME,
            port=settings.VARIABLES.port,
            demo=settings.VARIABLES.demo,
            admin_password=chosen or secrets.token_urlsafe(12),
            admin_password_is_ours=not chosen,
            variables=settings.VARIABLES,
            environment=dict(os.environ),
        )
        try:
            sys.exit(Supervisor(plan, self._say).run())
        except LakeError as problem:
            self.stderr.write(self.style.ERROR(problem.message))
            if problem.remedy:
                self.stderr.write(problem.remedy)
            sys.exit(1)

    def _say(self, line: str) -> None:
        try:
            self.stdout.write(line)
            self.stdout.flush()
        except OSError as error:
            # A closed pipe or terminal, or a full disk, is no reason to leave servers behind.
            if error.errno != errno.ENOSPC:
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
