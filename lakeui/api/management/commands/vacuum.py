"""``manage.py vacuum``: removes files that nothing can reach any more."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from catalog_app.models import Catalog
from catalog_app.selectors.snapshots import catalog_get
from lakeui import frontdoor
from lakeui.common.counts import counted
from lakeui.common.events import events_hush


class Command(BaseCommand):
    help = "Remove files that no branch, tag or trash reaches, of one catalog or of all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("catalog", nargs="?", help="name of the catalog; all when left out")
        parser.add_argument("--dry-run", action="store_true", help="only list them")

    def handle(self, *args: Any, **options: Any) -> None:
        events_hush()
        names = Catalog.objects.filter(dropped_at__isnull=True).order_by("name").values_list("name", flat=True)
        chosen = [catalog_get(options["catalog"]).name] if options["catalog"] else list(names)
        for name in chosen:
            statement = "VACUUM DRY RUN" if options["dry_run"] else "VACUUM"
            result = frontdoor.execute(statement, frontdoor.Session(catalog=name))
            for path, size, reason in result.rows:
                self.stdout.write(f"  {path}  {size} bytes: {reason}")
            what = "would go" if options["dry_run"] else "removed"
            count, size = result.metrics["files_removed"], result.metrics["bytes_removed"]
            self.stdout.write(f"{name}: {counted(count, 'file')}, {counted(size, 'byte')} {what}")
