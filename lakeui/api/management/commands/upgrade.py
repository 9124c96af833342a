"""``lakeui upgrade``: bring the database to this version."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from lakeui.runtime.upgrading import upgrade, upgrade_plan


class Command(BaseCommand):
    help = "Migrate the database to this version, under a lock. Refuses one that a newer lakeui has written."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--plan", action="store_true", help="say what would run, and end with 1 where web and workers have to stop"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["plan"]:
            upgrade(self.stdout.write)
        elif not upgrade_plan(self.stdout.write):
            raise SystemExit(1)
