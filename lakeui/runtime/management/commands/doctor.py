"""``manage.py doctor``: the settings that hold, and whether each service does its work."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from lakeui.runtime.doctor import EffectiveSetting, ServiceState, services_check, settings_effective


class Command(BaseCommand):
    help = "Show each setting and where it comes from, and check each service. Ends with 1 where something is wrong."
    # It looks at the database itself, and says more where there is none.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object instead of lines for people")

    def handle(self, *args: Any, **options: Any) -> None:
        held, found = settings_effective(os.environ), services_check(os.environ)
        is_ok = all(service.state != "wrong" for service in found)
        if options["json"]:
            shown = {"settings": [asdict(one) for one in held], "services": [asdict(one) for one in found]}
            self.stdout.write(json.dumps({"ok": is_ok, **shown}, indent=2))
        else:
            self._show(held, found)
        if not is_ok:
            sys.exit(1)

    def _show(self, held: list[EffectiveSetting], found: list[ServiceState]) -> None:
        wide = max(len(setting.name) for setting in held)
        self.stdout.write("Settings")
        for setting in held:
            self.stdout.write(f"  {setting.name:{wide}}  {setting.value}  [{setting.origin}]")
        self.stdout.write("\nServices")
        for service in found:
            self.stdout.write(f"  {service.name:{wide}}  {service.state}: {service.message}")
            if service.remedy:
                self.stdout.write(f"  {'':{wide}}  {service.remedy}")
