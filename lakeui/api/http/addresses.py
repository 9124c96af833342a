"""Names in addresses."""

from __future__ import annotations

from django.urls.converters import StringConverter


class BranchConverter(StringConverter):
    """A branch's name, which may hold slashes (``feature/delays``); the shortest that lets the address match."""

    regex = ".+?"
