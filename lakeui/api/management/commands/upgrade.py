"""``lakeui upgrade``: bring the database to this version."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from lakeui.runtime.upgrading import upgrade


class Command(BaseCommand):
    help = "Migrate the database to this version, under a lock. Refuses one that a newer lakeui has written."

    def handle(self, *args: Any, **options: Any) -> None:
        upgrade(self.stdout.write)
