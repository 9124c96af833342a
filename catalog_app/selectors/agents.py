"""What holds an agent, decided here for every way in.

Three doors ask: that of actions (``people.scope_require``), that of changes of branches
(``protection.protection_judge``) and that of commits (``merge_app.execution.apply``). They take an ``Account``. Who
asks several doors looks it up once and hands it on. A commit says itself whether its author is an agent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from catalog_app.domain.agents import Account, Agent, action_refusal
from catalog_app.domain.protection import Change
from catalog_app.domain.roles import Action
from catalog_app.selectors.history import ROW_METRICS
from catalog_app.selectors.rows import fetch_all
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue, LimitReached, PermissionDenied

HOUR = timedelta(hours=1)
_WAY_OUT = "Write on a branch of its own, open a merge request, and ask a person to merge it."

_AGENT = """
SELECT a.user_id, u.username, a.tables, a.statements, a.writes_per_hour, a.rows_per_hour,
    a.branch_days
FROM catalog_app_agent a JOIN auth_user u ON u.id = a.user_id WHERE a.user_id = %(user)s
"""


def account_of(user_id: int | None) -> Account:
    """The account with what holds it, where it is an agent's."""
    if user_id is None:
        return Account(None)
    for user, name, tables, statements, *limits in fetch_all(_AGENT, {"user": user_id}, prepared=True):
        return Account(user_id, Agent(user, name, tuple(tables), frozenset(statements), *limits))
    return Account(user_id)


def account_of_user(user: Any) -> Account:
    """The account of a user, None for no one. Who was read as no agent stays none, as an agent is made together with
    its account: only what holds an agent is asked for, as it is now.
    """
    if user is None or user.pk is None:
        return Account(None)
    is_known = _agent_relation(user).is_cached(user)
    return Account(user.pk) if is_known and not is_agent(user) else account_of(user.pk)


def is_agent(user: Any) -> bool:
    """Whether the account is an agent's. No query where ``user`` was read with ``agent``."""
    return getattr(user, "agent", None) is not None


def agent_attach(user: Any, agent: Any, owner: Any) -> None:
    """Have a user that was read know the agent that it is, and who answers for that; or that it is none."""
    if agent is None:
        # So the database is not asked again whether it is one.
        _agent_relation(user).set_cached_value(user, None)
    else:
        agent.user, agent.owner = user, owner


def _agent_relation(user: Any) -> Any:
    """What keeps the agent of a user that was read."""
    # Django documents the API of `_meta`; only its name looks private.
    return user._meta.get_field("agent")  # noqa: SLF001


def account_is_open(user: Any) -> bool:
    """Whether the account may act: it is active, and where it is an agent's, so is that of who answers for it."""
    return bool(user.is_active) and (not is_agent(user) or bool(user.agent.owner.is_active))


def agent_action_require(account: Account, action: Action) -> None:
    """Raises PermissionDenied where the account is an agent's and the action takes a person."""
    agent = account.agent
    refusal = action_refusal(agent, action) if agent else None
    if agent and refusal:
        raise PermissionDenied(refusal, remedy=_WAY_OUT, agent=agent.name, action=action.value)


def agent_branch_require(account: Account, branch: str, change: Change | None = None) -> None:
    """Raises PermissionDenied where the account is an agent's and the branch is none of its own, or the change is a
    merge. ``change`` None: it only speaks for the branch.
    """
    agent = account.agent
    if agent is None:
        return
    if change is Change.MERGE:
        raise PermissionDenied(
            f"Agent {agent.name} may not merge: that takes a person.", remedy=_WAY_OUT, agent=agent.name, branch=branch
        )
    if not agent.owns(branch):
        raise PermissionDenied(
            f"Branch {branch} is not one of agent {agent.name}: those are {agent.branches}.",
            remedy=_WAY_OUT,
            agent=agent.name,
            branch=branch,
            branches=agent.branches,
        )


def agent_latest_expiry(account: Account) -> datetime | None:
    """The latest expiry that a branch of the account may have from now on; None where nothing limits it."""
    agent = account.agent
    return None if agent is None or agent.branch_days is None else timezone.now() + timedelta(days=agent.branch_days)


def agent_expiry_require(account: Account, expires_at: datetime | None) -> None:
    """Raises InvalidValue where the account is an agent's whose branches may not live until then. None: for ever."""
    agent, latest = account.agent, agent_latest_expiry(account)
    if agent is None or latest is None or agent.branch_days is None:
        return
    if expires_at is not None and expires_at <= latest:
        return
    days = counted(agent.branch_days, "day")
    raise InvalidValue(
        f"Branches of agent {agent.name} expire after {days} at most.",
        remedy=f"Write SET EXPIRY '{days}' or less, or ask the agent's owner for a longer life.",
        field="expires",
        agent=agent.name,
    )


def agent_statement_require(account: Account, kind: str) -> None:
    """Raises PermissionDenied where the account is an agent's that may not run such statements."""
    agent = account.agent
    if agent is not None and not agent.takes(kind):
        raise PermissionDenied(
            f"Agent {agent.name} may not run {kind.replace('_', ' ')}: its statements are"
            f" {', '.join(sorted(agent.statements))}.",
            remedy="Ask the agent's owner to allow it.",
            agent=agent.name,
            statement=kind,
        )


def agent_commit_require(
    account: Account, changed: Iterable[str], *, uncounted: Collection[str] = (), planned_rows: int | None = None
) -> None:
    """Judge a commit of the account that was just written; with ``planned_rows`` one that is not written yet, and
    changes so many rows. Raises PermissionDenied where an agent's commit changes what
    it may not, and LimitReached where it is one too many in this hour. ``changed``: names as ``Agent.may_change`` takes
    them. ``uncounted``: tables that lose rows which nothing counts; a limit of rows refuses that. The agent's commits
    come one after the other from here to the end of the transaction.
    """
    agent = account.agent
    if agent is None:
        return
    refused = sorted({name for name in changed if not agent.may_change(name)})
    if refused:
        raise PermissionDenied(
            f"Agent {agent.name} may not change {', '.join(refused)}: its tables are {', '.join(agent.tables)}.",
            remedy="Ask the agent's owner to allow it.",
            agent=agent.name,
            tables=refused,
        )
    if uncounted and agent.rows_per_hour is not None:
        raise PermissionDenied(
            f"Agent {agent.name} has a limit of rows an hour. Replacing all rows of {', '.join(sorted(uncounted))},"
            " or of a partition, does not count them.",
            remedy="Use INSERT, UPDATE, DELETE or MERGE INTO, or ask the agent's owner to take the limit away.",
            agent=agent.name,
            tables=sorted(uncounted),
        )
    _limits_require(agent, planned_rows)


_LOCK = "SELECT 1 FROM catalog_app_agent WHERE user_id = %(user)s FOR NO KEY UPDATE"
_DONE = """
SELECT count(DISTINCT c.id), min(c.committed_at), coalesce(sum(r.rows), 0)
FROM catalog_app_commit c
JOIN catalog_app_branch b ON b.id = c.branch_id AND NOT b.is_workspace
LEFT JOIN LATERAL (
    SELECT sum(m.value::bigint) AS rows
    FROM catalog_app_commitoperation o, jsonb_each_text(o.metrics) m
    WHERE o.commit_id = c.id AND m.key = ANY(%(metrics)s)
) r ON true
WHERE c.author_id = %(user)s AND c.committed_at > %(since)s
"""


def _limits_require(agent: Agent, planned_rows: int | None) -> None:
    if agent.writes_per_hour is None and agent.rows_per_hour is None:
        return
    fetch_all(_LOCK, {"user": agent.user_id})
    now = timezone.now()
    asked = {"user": agent.user_id, "since": now - HOUR, "metrics": list(ROW_METRICS)}
    ((writes, first, done),) = fetch_all(_DONE, asked)
    wait = max(1, int((first + HOUR - now).total_seconds())) if first else int(HOUR.total_seconds())
    is_planned = planned_rows is not None
    over = _over(agent, int(writes) + is_planned, int(done) + (planned_rows or 0))
    if over:
        raise LimitReached(
            f"Agent {agent.name} {over}.",
            remedy="Wait, or ask the agent's owner for a higher limit.",
            retry_after=wait,
            agent=agent.name,
        )


def _over(agent: Agent, writes: int, rows: int) -> str:
    if agent.writes_per_hour is not None and writes > agent.writes_per_hour:
        return f"has its {agent.writes_per_hour} writes of this hour"
    if agent.rows_per_hour is not None and rows > agent.rows_per_hour:
        return f"may change {counted(agent.rows_per_hour, 'row')} an hour, and with this commit it would be {rows}"
    return ""


def answering_for(user_ids: Collection[int | None]) -> dict[int, int]:
    """Who answers for those of these accounts that are agents, by account."""
    asked = {"ids": [user_id for user_id in user_ids if user_id is not None]}
    found = fetch_all("SELECT user_id, owner_id FROM catalog_app_agent WHERE user_id = ANY(%(ids)s)", asked)
    return dict(found)


def agents_among(user_ids: Collection[int]) -> frozenset[int]:
    """Those of these accounts that are agents."""
    found = fetch_all("SELECT user_id FROM catalog_app_agent WHERE user_id = ANY(%(ids)s)", {"ids": list(user_ids)})
    return frozenset(user for (user,) in found)
