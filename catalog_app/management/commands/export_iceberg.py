"""``manage.py export_iceberg``: a branch, tag or version as static metadata of Apache Iceberg."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog_app.iceberg.avro_schemas import V2, V3
from catalog_app.selectors.references import snapshot_of
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.exports import export_folder, tables_export
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.counts import counted
from lakeui.common.errors import LakeError


class Command(BaseCommand):
    help = (
        "Export tables as metadata of Apache Iceberg, which engines read without a server. Data files stay where they"
        " are, as long as the version is kept. A tag keeps its own. What a branch has left goes by VACUUM."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("catalog")
        parser.add_argument("reference", help="a branch, branch:NAME, tag:NAME or version:N")
        parser.add_argument("table", nargs="*", help="database.table; all when left out")
        parser.add_argument(
            "--to",
            help="a folder, or an address in the store of the warehouse; else below exports/ of the warehouse",
        )
        parser.add_argument(
            "--format-version",
            type=int,
            choices=(V2, V3),
            help="of Iceberg's format; when left out, as each table says",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
        try:
            catalog = catalog_get(options["catalog"])
            snapshot = snapshot_of(catalog, options["reference"])
            said = {"catalog": catalog.name, "reference": options["reference"]}
            folder = export_folder(warehouse, catalog, options["reference"], options["to"])
            done = tables_export(
                warehouse, snapshot, folder, said=said, only=options["table"], form=options["format_version"]
            )
        except LakeError as error:
            raise CommandError(str(error)) from error
        place = warehouse.location(folder)
        for label, entry in done.tables.items():
            self.stdout.write(f"{label}: {place}/{entry['folder']} (version {entry['version']})")
        for label, why in done.refused.items():
            self.stderr.write(f"{label}: {why}")
        if done.refused:
            raise CommandError(f"{counted(len(done.refused), 'table was', 'tables were')} left out.")
