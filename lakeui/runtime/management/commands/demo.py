"""``manage.py demo``: load the demo lake."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from lakeui.common.events import events_hush
from lakeui.demo.load import CATALOG, demo_load


class Command(BaseCommand):
    help = "Load the demo lake (catalog demo): flights from New York City in 2013, with branches to merge."

    def handle(self, *args: Any, **options: Any) -> None:
        events_hush()
        demo_load(self._report)
        self.stdout.write(f"The demo lake is ready: catalog {CATALOG}.")

    def _report(self, what: str, done: int, total: int) -> None:
        self.stdout.write(f"[{done:2d}/{total}] {what}")
        self.stdout.flush()
