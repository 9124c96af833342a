"""``manage.py demo [flights|shop]``: load a sample lake."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from lakeui.common.events import events_hush
from lakeui.demo.load import SAMPLES, sample_load


class Command(BaseCommand):
    help = (
        "Load a sample lake with branches to merge, in the place of an earlier one. The sample flights, catalog demo,"
        " has flights from New York City in 2013. The sample shop, catalog demo_shop, has keys and nested columns."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("sample", nargs="?", choices=list(SAMPLES), default="flights", help="Which lake is loaded.")

    def handle(self, *args: Any, **options: Any) -> None:
        events_hush()
        sample = SAMPLES[options["sample"]]
        sample_load(sample, self._report)
        self.stdout.write(f"The demo lake is ready: catalog {sample.catalog}.")

    def _report(self, what: str, done: int, total: int) -> None:
        self.stdout.write(f"[{done:2d}/{total}] {what}")
        self.stdout.flush()
