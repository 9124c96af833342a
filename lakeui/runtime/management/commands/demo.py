"""``manage.py demo [flights|shop]``: load a sample lake."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from lakeui.common.events import events_hush
from lakeui.demo.load import SAMPLES


class Command(BaseCommand):
    help = (
        "Load a sample lake with branches to merge, over what an earlier attempt left. flights, of catalog demo, has"
        " flights from New York City in 2013. shop, of catalog demo_shop, has keys, partitions and nested columns."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("sample", nargs="?", choices=list(SAMPLES), default="flights", help="Which lake is loaded.")

    def handle(self, *args: Any, **options: Any) -> None:
        events_hush()
        catalog, load = SAMPLES[options["sample"]]
        load(self._report)
        self.stdout.write(f"The demo lake is ready: catalog {catalog}.")

    def _report(self, what: str, done: int, total: int) -> None:
        self.stdout.write(f"[{done:2d}/{total}] {what}")
        self.stdout.flush()
