"""``manage.py link_identity USER SUBJECT``: single sign-on opens an account that is there already."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from lakeui.access.models import ExternalIdentity


class Command(BaseCommand):
    help = "Let whom the provider of single sign-on calls SUBJECT in to the account USER."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="User name here.")
        parser.add_argument("subject", help="The claim `sub`; the log names it where somebody was refused.")

    def handle(self, *args: Any, user: str, subject: str, **options: Any) -> None:
        issuer = settings.LAKEUI["OIDC_ISSUER"]
        if not issuer:
            raise CommandError("No provider is set: LAKEUI_OIDC_ISSUER is empty.")
        found = User.objects.filter(username=user).first()
        if found is None:
            raise CommandError(f"There is no account {user}.")
        ExternalIdentity.objects.update_or_create(issuer=issuer, subject=subject, defaults={"user": found})
        self.stdout.write(f"{subject} at {issuer} is {user} from now on.")
