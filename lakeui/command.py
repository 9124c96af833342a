"""The command line of lakeui: `lakeui COMMAND` where it is installed, `python manage.py COMMAND` in its repository."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run a command. What is wrong with the settings is one sentence, without a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line

        from lakeui import __version__
        from lakeui.common.errors import LakeError
    except ImportError:
        sys.exit("Django is not installed here. Run `make up`, or use the Python in .venv/bin.")
    if sys.argv[1:] in (["version"], ["--version"]):
        sys.exit(_said(f"lakeui {__version__}"))
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        sys.exit(str(problem))
    except LakeError as problem:
        sys.exit(f"{problem.message} {problem.remedy}".strip())


def _said(text: str) -> int:
    sys.stdout.write(f"{text}\n")
    return 0
