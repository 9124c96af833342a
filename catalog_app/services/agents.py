"""Make, change and end agents. Only its owner, and superusers, do that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from catalog_app.domain.roles import Action, Principal
from catalog_app.models import Agent
from catalog_app.selectors.people import scope_require
from lakeui.common.errors import AlreadyExists, NotFound, PermissionDenied

FIELDS = ("model", "purpose", "tables", "statements", "writes_per_hour", "rows_per_hour", "branch_days")


def agents_of(principal: Principal) -> QuerySet[Agent]:
    """The agents that whoever asks answers for; of a superuser all. Ended ones are not among them."""
    found = Agent.objects.filter(user__is_active=True).select_related("user", "owner").order_by("user__username")
    return found if principal.sees_everything else found.filter(owner=principal.user_id)


def agent_get(principal: Principal, name: str) -> Agent:
    """The agent of that name. Raises NotFound."""
    found = agents_of(principal).filter(user__username=name).first()
    if found is None:
        raise NotFound("agent", name, where="of yours")
    return found


def agent_create(*, principal: Principal, name: str, fields: Mapping[str, Any]) -> Agent:
    """A new agent with an account that no password opens. Raises AlreadyExists where an account has that name."""
    scope_require(principal, Action.MANAGE_AGENTS)
    if principal.user_id is None:
        raise PermissionDenied("Only a person can answer for an agent.", remedy="Sign in.")
    try:
        with transaction.atomic():
            user = User(username=name)
            user.set_unusable_password()
            user.save(force_insert=True)
            return Agent.objects.create(user=user, owner_id=principal.user_id, **fields)
    except IntegrityError:
        raise AlreadyExists("account", name, remedy="Choose another name.") from None


def agent_change(*, principal: Principal, agent: Agent, fields: Mapping[str, Any]) -> Agent:
    """Change what holds the agent, from its next request and commit on."""
    scope_require(principal, Action.MANAGE_AGENTS)
    for field, value in fields.items():
        setattr(agent, field, value)
    agent.save(update_fields=list(fields))
    return agent


def agent_end(*, principal: Principal, agent: Agent) -> None:
    """Shut the agent's account for good. What it wrote stays, and names it."""
    scope_require(principal, Action.MANAGE_AGENTS)
    User.objects.filter(pk=agent.user_id).update(is_active=False)
