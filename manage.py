#!/usr/bin/env python3
"""Command line of lakeui; `python manage.py help` lists the commands."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed here. Run `make up`, or use the Python in .venv/bin.")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
