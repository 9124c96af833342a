"""Who signs in by a browser: people. An agent comes with a token."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User

from catalog_app.selectors.agents import is_agent


def may_sign_in(user: Any) -> bool:
    """Whether the account is active and a person's."""
    return bool(user.is_active) and not is_agent(user)


class PeopleBackend(ModelBackend):
    """Passwords of people, and the accounts that sessions stand for. Both ask ``may_sign_in``."""

    def user_can_authenticate(self, user: Any) -> bool:
        return may_sign_in(user)

    def get_user(self, user_id: int) -> Any:
        # With whether it is an agent's: each request of a browser comes here.
        user = User.objects.select_related("agent").filter(pk=user_id).first()
        return user if user is not None and may_sign_in(user) else None
