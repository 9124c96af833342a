"""``manage.py second_factor USER``: turns the second factor of somebody off who lost app and codes."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from lakeui.access.second_factor import second_factor_reset_here
from lakeui.common.errors import InvalidValue


class Command(BaseCommand):
    help = "Turn off the second factor of somebody who lost app and recovery codes; their sessions end."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="name of the user")
        parser.add_argument("--off", action="store_true", required=True, help="what is to be done")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']}.")
        try:
            second_factor_reset_here(user)
        except InvalidValue as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"The account of {user.username} opens by its password alone. Its sessions have ended.")
