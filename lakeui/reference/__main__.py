"""``python -m lakeui.reference`` writes every page anew."""

from __future__ import annotations

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")
os.environ.setdefault("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
django.setup()

from lakeui.reference.pages import pages_write  # noqa: E402 - its imports need the settings

pages_write()
