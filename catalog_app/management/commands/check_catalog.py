"""``manage.py check_catalog``: invariants of the metadata and of the files on disk."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog_app.domain.files import FileScan
from catalog_app.models import Catalog
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.integrity import catalog_check
from catalog_app.storage.deletes import live_row_ids
from catalog_app.storage.facts import stored_stamps
from catalog_app.storage.warehouse import Warehouse


class Command(BaseCommand):
    help = "Check the invariants of one catalog, or of all; exits with 1 on any breach."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rows", action="store_true", help="also check row ids and stamps; reads data files")
        parser.add_argument("catalog", nargs="?", help="name of the catalog; all when left out")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = [catalog_get(options["catalog"])] if options["catalog"] else list(Catalog.objects.order_by("name"))
        warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])

        def size_of(path: str) -> int | None:
            return warehouse.size(path) if warehouse.exists(path) else None

        def row_ids_of(file: FileScan) -> list[int]:
            return [int(row_id) for row_id in live_row_ids(warehouse, [file])]

        def stamps_of(file: FileScan) -> list[int]:
            return stored_stamps(warehouse, file)

        breaches = 0
        for catalog in chosen:
            of_rows: dict[str, Any] = {"row_ids_of": row_ids_of, "stamps_of": stamps_of} if options["rows"] else {}
            found = catalog_check(catalog, size_of=size_of, **of_rows)
            breaches += len(found)
            self.stdout.write(f"{catalog.name}: " + ("in order" if not found else f"{len(found)} breaches"))
            for breach in found:
                self.stdout.write(f"  {breach}")
        if breaches:
            raise CommandError(f"{breaches} breaches")
