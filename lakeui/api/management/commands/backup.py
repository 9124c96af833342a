"""``lakeui backup PLACE``: database and warehouse, while people work."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lakeui.common.counts import counted
from lakeui.runtime.backup_places import place_locked
from lakeui.runtime.backups import backup_make, backup_place, backups_list, backups_prune


class Command(BaseCommand):
    help = "Back up database and warehouse to a folder or an address. Files that are there are not copied again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", help="a folder of this machine, or an address such as s3://bucket/backups")
        parser.add_argument("--link", action="store_true", help="hard links instead of copies: fast, but on one disk")
        parser.add_argument(
            "--without-files",
            action="store_true",
            help="the database and a list of files with their sizes: the files are kept by means of your own",
        )
        parser.add_argument("--keep", type=int, metavar="N", help="afterwards remove all but the newest N backups")
        parser.add_argument("--list", action="store_true", help="only list the backups of the folder")

    def handle(self, *args: Any, **options: Any) -> None:
        place = backup_place(options["folder"])
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep must be at least 1.")
        if options["list"]:
            for backup in backups_list(place):
                kind = "" if backup.has_files else ", without files"
                self.stdout.write(
                    f"{backup.name}: {counted(backup.files, 'file')}, {counted(backup.bytes, 'byte')},"
                    f" lakeui {backup.lakeui}{kind}"
                )
            return
        if options["link"] and options["without_files"]:
            raise CommandError("--link and --without-files exclude each other.")
        with place_locked(place):
            has_files = not options["without_files"]
            made = backup_make(place, say=self.stdout.write, link=options["link"], has_files=has_files)
            self.stdout.write(f"{place.root}/{made.name}: {counted(made.files, 'file')}, {counted(made.bytes, 'byte')}")
            if options["keep"]:
                backups, files = backups_prune(place, keep=options["keep"])
                self.stdout.write(f"removed {counted(backups, 'older backup')} and {counted(files, 'file')}")
