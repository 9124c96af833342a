"""Histories of two catalogs that merge each other: some branches are in another catalog."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from catalog_app.models import Branch
from catalog_app.selectors.snapshots import branch_get, catalog_get
from catalog_app.services.integrity import catalog_check
from lakeui.frontdoor import Session, StatementResult, execute
from tests.lineage.histories.history import MIRROR
from tests.lineage.histories.states import Reader
from tests.lineage.histories.wide import WideHistory
from tests.support.lake import Lake

_CUT = re.compile(r"CREATE BRANCH (\w+)(?: FROM (\w+))?")
APART = "x"
"""The branch that is cut in the other catalog."""


class TwoCatalogs(Lake):
    """A branch is in the catalog of the one that it was cut from."""

    def __init__(self) -> None:
        self.apart: set[str] = set()
        super().__init__()
        self.other = f"{self.catalog}_other"
        self.sql(f"CREATE CATALOG {self.other}")

    def home(self, branch: str) -> str:
        return self.other if branch in self.apart else self.catalog

    def branch(self, name: str = "main") -> Branch:
        return branch_get(catalog_get(self.home(name)), name)

    def sql(self, text: str, branch: str = "main", *, transaction: str | None = None) -> StatementResult:
        if cut := _CUT.match(text):
            name, parent = cut.groups()
            if name == APART or parent in self.apart:
                self.apart.add(name)
            session = Session(catalog=self.home(name), branch="main")
        else:
            session = Session(catalog=self.home(branch), branch=branch, transaction=transaction)
        return execute(text, session)

    def merge(self, source: str, destination: str = "main") -> dict[str, Any]:
        return self.sql(f"MERGE BRANCH {self.home(source)}.{source}", destination).extra

    def dry_run(self, source: str, destination: str = "main") -> dict[str, Any]:
        return self.sql(f"MERGE BRANCH {self.home(source)}.{source} DRY RUN", destination).extra

    def breaches(self) -> list[str]:
        return [*super().breaches(), *catalog_check(catalog_get(self.other))]


class HistoryApart(WideHistory):
    """``x`` begins with all that main has, by a merge."""

    def begin_by(self, sql: Sequence[str], names: Sequence[str]) -> None:
        self.names = (*names[:2], APART)
        self.lake: TwoCatalogs = TwoCatalogs()
        self.reader = Reader(self.lake)
        self.states, self.versions = {}, {}
        for text in sql:
            self.say("main", text)
            self.lake.sql(text)
        for name in (*self.names[1:], MIRROR):
            self.lake.sql(f"CREATE BRANCH {name}")
        self.lake.merge("main", APART)
        for name in (*self.names, MIRROR):
            self.versions[name], self.states[name] = [self.lake.head(name)], self.reader.state(name)
        for law in self.laws:
            law.begun(self)
