"""Where a command acts, and what it says."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any, NamedTuple

from lakeui_client.catalogs import Branch, Catalog
from lakeui_client.cli.settings import Settings, settings_read
from lakeui_client.http import Watcher
from lakeui_client.lake import Lake
from lakeui_client.sessions import Session

DONE, FAILED, CONFLICT, WAITS = 0, 1, 2, 3
ROLES = ("viewer", "contributor", "reviewer", "maintainer", "owner")


class Said(NamedTuple):
    """What a command says: ``document`` with --json, else ``text``; and the status that it ends with."""

    document: Any
    text: str
    status: int = DONE


SILENT = Said(None, "")
"""Of a command that has said all already."""


class Place:
    """Where a command acts."""

    def __init__(self, given: Namespace, watch: Watcher | None) -> None:
        self.settings: Settings = settings_read(
            **{name: getattr(given, name, None) for name in ("url", "catalog", "branch")}
        )
        self._watch = watch

    @property
    def lake(self) -> Lake:
        return Lake(self.settings.url, self.settings.token, watch=self._watch)

    @property
    def catalog(self) -> Catalog:
        return self.lake.catalog(self.settings.catalog_named)

    @property
    def branch(self) -> Branch:
        return self.catalog.branch(self.settings.branch)

    @property
    def session(self) -> Session | None:
        """The session in which statements run, if there is one."""
        return Session(self.lake.http, self.settings.session) if self.settings.session else None


Command = Callable[[Place, Namespace], Said]
