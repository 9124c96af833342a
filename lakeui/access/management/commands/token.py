"""``manage.py token USER``: a new API token, printed once."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from catalog_app.domain.roles import Scope
from catalog_app.selectors.snapshots import catalog_get
from lakeui.access.tokens import token_create
from lakeui.common.errors import NotFound


class Command(BaseCommand):
    help = "Make an API token for a user and print it. It cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="name of an active user")
        parser.add_argument("--name", default="command line", help="what the token is for")
        scopes = [scope.value for scope in Scope]
        parser.add_argument("--scope", action="append", choices=scopes, help="may be repeated (default: all)")
        parser.add_argument("--catalog", action="append", help="a catalog that it is limited to; may be repeated")
        parser.add_argument("--days", type=int, help="days until it expires (default: never)")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user_model().objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']}.")
        if not user.is_active:
            raise CommandError(f"The account of {options['user']} is not active.")
        days = options["days"]
        if days is not None and not 1 <= days <= 36500:
            raise CommandError("--days must be between 1 and 36500.")
        expires_at = None if days is None else timezone.now() + timedelta(days=days)
        scopes = [Scope(name) for name in options["scope"] or Scope]
        catalogs = [_catalog_id(name) for name in options["catalog"] or ()]
        _, secret = token_create(
            user=user, name=options["name"], expires_at=expires_at, scopes=scopes, catalogs=catalogs
        )
        self.stdout.write(secret)


def _catalog_id(name: str) -> int:
    try:
        return catalog_get(name).pk
    except NotFound as error:
        raise CommandError(f"{error.message} {error.remedy}".strip()) from None
