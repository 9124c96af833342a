"""``lakeui backup FOLDER``: database and warehouse, while people work."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lakeui.runtime.backups import backup_make, backups_list, backups_prune, folder_locked


class Command(BaseCommand):
    help = "Back up database and warehouse into a folder. Files that it has are not copied again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--link", action="store_true", help="hard links instead of copies: fast, but on one disk")
        parser.add_argument("--keep", type=int, metavar="N", help="afterwards remove all but the newest N backups")
        parser.add_argument("--list", action="store_true", help="only list the backups of the folder")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["folder"]
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep must be at least 1.")
        if options["list"]:
            for backup in backups_list(folder):
                self.stdout.write(f"{backup.name}: {backup.files} files, {backup.bytes} bytes, lakeui {backup.lakeui}")
            return
        with folder_locked(folder):
            made = backup_make(folder, say=self.stdout.write, link=options["link"])
            self.stdout.write(f"{folder / made.name}: {made.files} files, {made.bytes} bytes")
            if options["keep"]:
                backups, files = backups_prune(folder, keep=options["keep"])
                self.stdout.write(f"removed {backups} older backups and {files} files")
