#!/usr/bin/env python3
"""Command line of lakeui; `python manage.py help` lists the commands."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run a command; what is wrong with the settings is said in a sentence, without a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line

        from lakeui.common.errors import LakeError
    except ImportError:
        sys.exit("Django is not installed here. Run `make up`, or use the Python in .venv/bin.")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        sys.exit(str(problem))
    except LakeError as problem:
        sys.exit(f"{problem.message} {problem.remedy}".strip())


if __name__ == "__main__":
    main()
