"""A lake without rows, and one person for each role in it; outsider has none."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User

from catalog_app.domain.roles import Role
from lakeui.frontdoor import Session, StatementResult, execute
from tests.api.conftest import no_worker
from tests.benchmarks.metadata import Bench
from tests.stories.conftest import database, stored
from tests.support.members import join

__all__ = ["database", "no_worker", "stored"]

ROLES = ("none", *(role.value for role in Role))


@pytest.fixture(autouse=True)
def unheard(no_worker: None) -> None:
    """No worker that another test has left takes a task before its turn."""


@dataclass
class Cast:
    """A lake and the people around it, by their role."""

    lake: Bench
    people: dict[str, User]

    @property
    def catalog(self) -> str:
        return self.lake.catalog

    def sql(self, role: str, text: str, branch: str = "main", *, transaction: str | None = None) -> StatementResult:
        """Run a statement as the person of that role."""
        return execute(text, Session(self.catalog, branch, self.people[role], transaction))

    def bypass(self, role: str, text: str, branch: str = "main", *, transaction: str | None = None) -> StatementResult:
        """Run it with a reason to go past a protection."""
        session = Session(self.catalog, branch, self.people[role], transaction, bypass_reason="the pipeline is down")
        return execute(text, session)


def cast_make(lake: Bench) -> Cast:
    people = {role: User.objects.create_user(f"{role}-{lake.catalog}") for role in ROLES}
    for role in Role:
        join(people[role.value], lake.catalog, role)
    return Cast(lake, people)


@pytest.fixture
def cast(db: None) -> Cast:
    return cast_make(Bench(1))
