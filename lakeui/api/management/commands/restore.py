"""``lakeui restore PLACE``: a backup into an empty database and warehouse, and from there to a point in time."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from catalog_app.domain.quoting import quote_name, quote_text
from catalog_app.models import Branch, Catalog
from lakeui import frontdoor
from lakeui.runtime.backup_places import place_locked
from lakeui.runtime.backups import backup_choose, backup_place, backup_restore, restore_finish
from lakeui.runtime.upgrading import upgrade

REASON = "restored from a backup to a point in time"


class Command(BaseCommand):
    help = "Put a backup into the empty database and warehouse that the settings name. Overwrites nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", help="where `backup` wrote to: a folder, or an address of a store")
        parser.add_argument("--at", metavar="TIME|VERSION", help="take the branches back to then; UTC unless said")
        parser.add_argument("--catalog", default="", help="of which --at is a version, or the only one to take back")

    def handle(self, *args: Any, **options: Any) -> None:
        place, at, catalog = backup_place(options["folder"]), options["at"], options["catalog"]
        version = int(at) if at and at.isdecimal() else None
        if (catalog and not at) or (version is not None and not catalog):
            raise CommandError("Versions are of one catalog: write --catalog NAME --at VERSION.")
        time = _time(at) if at and version is None else None
        if place.is_local and not Path(place.root).is_dir():
            raise CommandError(f"There is no folder {place.root}.")
        with place_locked(place):
            backup = backup_choose(place, time=time, catalog=catalog, version=version)
            self.stdout.write(f"backup {backup.name}")
            backup_restore(place, backup, say=self.stdout.write)
            # An older lakeui made it: its tables become those of this one.
            upgrade(self.stdout.write)
            if at:
                self._take_back(catalog, time, version)
            restore_finish()
        call_command("check_catalog", stdout=self.stdout)
        call_command("verify_audit", stdout=self.stdout)

    def _take_back(self, catalog: str, time: datetime | None, version: int | None) -> None:
        """Each branch by RESTORE BRANCH, a commit as any other: what came later stays in its history."""
        point = f"VERSION AS OF {version}" if version is not None else f"TIMESTAMP AS OF {quote_text(_written(time))}"
        catalogs = Catalog.objects.filter(dropped_at__isnull=True)
        for chosen in catalogs.filter(name__iexact=catalog) if catalog else catalogs.order_by("name"):
            if time is not None and chosen.created_at > time:
                self.stdout.write(f"{chosen.name}: made later, left as it is")
                continue
            branches = Branch.objects.filter(catalog=chosen, dropped_at__isnull=True, is_workspace=False)
            for branch in branches.order_by("pk"):
                if _is_later(branch, time, version):
                    self.stdout.write(f"{chosen.name}, {branch.name}: made later, left as it is")
                    continue
                session = frontdoor.Session(chosen.name, branch.name, None, bypass_reason=REASON)
                frontdoor.execute(f"RESTORE BRANCH {quote_name(branch.name)} TO {point}", session)
                self.stdout.write(f"{chosen.name}, {branch.name}: taken back")
            for name in _dropped_since(chosen, time):
                self.stdout.write(f"{chosen.name}, {name}: was dropped later; UNDROP BRANCH brings it back")


def _is_later(branch: Branch, time: datetime | None, version: int | None) -> bool:
    if time is not None:
        return branch.parent_id is not None and branch.created_at > time
    return branch.parent_id is not None and branch.fork_version > (version or 0)


def _dropped_since(catalog: Catalog, time: datetime | None) -> list[str]:
    if time is None:
        return []
    dropped = Branch.objects.filter(catalog=catalog, dropped_at__gt=time, created_at__lte=time, is_workspace=False)
    return list(dropped.order_by("pk").values_list("name", flat=True))


def _time(text: str) -> datetime:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"{text} is no time. Write 2026-01-31T10:00:00, or a version and --catalog.") from None
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read


def _written(time: datetime | None) -> str:
    assert time is not None
    return time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
