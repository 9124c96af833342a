"""``manage.py export_audit CATALOG FILE``: the audit as others check it, or the public key of its checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import LakeError
from merge_app.audit.checkpoints import key_read, public_key
from merge_app.audit.exporting import audit_export


class Command(BaseCommand):
    help = "Write the audit of a catalog into a file, for examples/verify_audit.py; or show the public key."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("catalog", nargs="?")
        parser.add_argument("file", nargs="?", type=Path)
        parser.add_argument("--public-key", action="store_true", help="show the key that checkpoints are checked with")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["public_key"]:
                self.stdout.write(public_key(key_read(settings.LAKEUI["AUDIT_KEY"])), ending="")
                return
            if not options["catalog"] or not options["file"]:
                raise CommandError("Name a catalog and a file.")
            catalog = catalog_get(options["catalog"])
            with options["file"].open("w", encoding="utf-8", newline="\n") as file:
                count = sum(bool(file.write(line)) for line in audit_export(catalog))
        except LakeError as refusal:
            raise CommandError(f"{refusal.message} {refusal.remedy}") from None
        except OSError as error:
            raise CommandError(f"{error.strerror}: {error.filename}") from None
        self.stdout.write(f"{count} records of {catalog.name} are in {options['file']}.")
