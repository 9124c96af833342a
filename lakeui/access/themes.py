"""The theme that a person chose in the pages: the server draws all of its own pages in it."""

from __future__ import annotations

from django.http import HttpRequest

COOKIE = "theme"
THEMES = ("light", "dark", "contrast")
"""What the theme switch of the pages stores; without it the system's setting counts."""


def theme(request: HttpRequest) -> dict[str, str]:
    """For every template: the chosen theme, empty where none of these is chosen."""
    chosen = request.COOKIES.get(COOKIE, "")
    return {"theme": chosen if chosen in THEMES else ""}
