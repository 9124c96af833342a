"""Agents: accounts of programs that decide for themselves, and what holds them. Pure.

An agent writes on branches under ``agent/<name>/`` only, whatever its role: it opens merge requests, and people merge.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from catalog_app.domain.roles import RIGHTS, Action

ACTIONS = frozenset(
    {Action.READ, Action.COMMENT, Action.WRITE, Action.CREATE_BRANCH, Action.DROP_BRANCH, Action.OPEN_REQUEST}
)
"""What an agent may ask for. Everything else takes a person."""


@dataclass(frozen=True, slots=True)
class Agent:
    """What holds one agent. ``tables``: patterns of ``database.table`` that it may change, none for all that is on its
    branches. ``statements``: kinds of statements that change something, none for all. ``branch_days``: how long a
    branch of it lives at most, from when the agent makes it, brings it back or sets its expiry. None of a number is no
    limit.
    """

    user_id: int
    name: str
    tables: tuple[str, ...] = ()
    statements: frozenset[str] = frozenset()
    writes_per_hour: int | None = None
    rows_per_hour: int | None = None
    branch_days: int | None = None

    @property
    def branches(self) -> str:
        """The pattern of its branches."""
        return f"agent/{self.name}/*"

    def owns(self, branch: str) -> bool:
        """Whether a branch of that name is one of its own."""
        return branch.casefold().startswith(f"agent/{self.name}/".casefold())

    def may_change(self, name: str) -> bool:
        """Whether it may change what is called ``database.table``, or ``database.*`` for the database itself."""
        of_database = name.endswith(".*")
        # No other wildcard stands for the star that means the database itself.
        judging = [pattern for pattern in self.tables if pattern.endswith(".*") or not of_database]
        return not self.tables or any(fnmatchcase(name.casefold(), pattern.casefold()) for pattern in judging)

    def takes(self, kind: str) -> bool:
        """Whether it may run statements of that kind."""
        return not self.statements or kind in self.statements


@dataclass(frozen=True, slots=True)
class Account:
    """Who is asked about at the doors of agents. ``agent`` None: the account is a person's, or lakeui itself asks."""

    user_id: int | None
    agent: Agent | None = None


def action_refusal(agent: Agent, action: Action) -> str | None:
    """Why the agent may not ask for the action; None where it may."""
    if action in ACTIONS:
        return None
    return f"Agent {agent.name} may not {RIGHTS[action].does}: that takes a person."
