"""``manage.py verify_audit``: walks the hash chain of the audit records."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog_app.models import Catalog
from catalog_app.selectors.snapshots import catalog_get
from merge_app.audit.accounts import accounts_verify
from merge_app.audit.models import AccountRecord, MergeAttempt
from merge_app.review.verification import audit_verify


class Command(BaseCommand):
    help = "Verify the audit records of one catalog, or of all; exits with 1 where one was changed or is missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("catalog", nargs="?", help="name of the catalog; all when left out")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = [catalog_get(options["catalog"])] if options["catalog"] else list(Catalog.objects.order_by("name"))
        breaches = sum(
            self._say(catalog.name, MergeAttempt.objects.filter(catalog=catalog).count(), audit_verify(catalog))
            for catalog in chosen
        )
        if not options["catalog"]:
            breaches += self._say("people and groups", AccountRecord.objects.count(), accounts_verify())
        if breaches:
            raise CommandError(f"{breaches} breaches")

    def _say(self, what: str, count: int, found: list[str]) -> int:
        self.stdout.write(f"{what}: {count} records, " + ("in order" if not found else "NOT in order"))
        for breach in found:
            self.stdout.write(f"  {breach}")
        return len(found)
