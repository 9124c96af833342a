#!/usr/bin/env python3
"""Command line of lakeui; `python manage.py help` lists the commands."""

from __future__ import annotations

from lakeui.command import main

if __name__ == "__main__":
    main()
