"""Accounts of people: list, invite, change, end. Each change takes a standing, and leaves a record in the audit.

Whoever is no superuser touches only accounts that are neither staff nor superuser, and gives no standing and no group:
no caller gains a right by these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower
from django.utils import timezone

from catalog_app.domain.names import name_check, name_folded
from catalog_app.domain.roles import Action, Principal, Standing
from catalog_app.models import CatalogMember, Restriction
from catalog_app.selectors.agents import is_agent
from catalog_app.selectors.people import group_get, standing_require
from lakeui.access.models import AccessToken, ExternalIdentity, Invitation
from lakeui.access.sessions import sessions_end
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound, PermissionDenied
from lakeui.common.nearest import nearest_name
from merge_app.audit.accounts import account_record, accounts_lock

STATES = ("active", "invited", "disabled")


def standing_of(user: User) -> Standing:
    if user.is_superuser:
        return Standing.SUPERUSER
    return Standing.STAFF if user.is_staff else Standing.PERSON


def state_of(user: User) -> str:
    """``invited``: the account was never signed in with, and an open link lets somebody choose a password."""
    if not user.is_active:
        return "disabled"
    return "invited" if getattr(user, "is_invited", False) else "active"


def _people() -> QuerySet[Any]:
    open_links = Invitation.objects.filter(user=OuterRef("pk"), ended_at__isnull=True, expires_at__gt=timezone.now())
    invited = Exists(open_links) & Q(last_login__isnull=True)
    return User.objects.annotate(sort_key=Lower("username"), is_invited=invited).prefetch_related("groups")


def people_list(
    principal: Principal,
    *,
    search: str = "",
    state: str = "",
    group: str = "",
    after: tuple[str, int] | None = None,
    limit: int,
) -> list[User]:
    """Accounts by user name, behind the key ``after`` (``sort_key`` and id)."""
    standing_require(principal, Action.MANAGE_PEOPLE)
    found = _people()
    if search:
        names = ("username", "first_name", "last_name", "email")
        found = found.filter(Q(*((f"{name}__icontains", search) for name in names), _connector=Q.OR))
    if state:
        found = found.filter(is_active=state != "disabled")
    if state in ("active", "invited"):
        found = found.filter(is_invited=state == "invited")
    if group:
        found = found.filter(groups=group_get(group))
    if after is not None:
        found = found.filter(Q(sort_key__gt=after[0]) | Q(sort_key=after[0], pk__gt=after[1]))
    return list(found.order_by("sort_key", "pk")[:limit])


def person_get(principal: Principal, username: str) -> User:
    """The account of that name. Raises NotFound with the nearest one."""
    standing_require(principal, Action.MANAGE_PEOPLE)
    return _person(username)


def _person(username: str) -> User:
    found = _people().filter(username=username).first()
    if found is None:
        raise NotFound(
            "person", username, nearest=nearest_name(username, User.objects.values_list("username", flat=True))
        )
    return found


def person_add(
    principal: Principal,
    *,
    username: str,
    email: str = "",
    first_name: str = "",
    last_name: str = "",
    groups: Collection[str] = (),
) -> User:
    """A new account without a password. Raises AlreadyExists, InvalidValue, PermissionDenied."""
    standing_require(principal, Action.MANAGE_PEOPLE)
    if groups:
        standing_require(principal, Action.MANAGE_GROUPS)
    username = User.normalize_username(name_folded(username))
    user = User(username=username, email=email, first_name=first_name, last_name=last_name)
    user.set_unusable_password()
    _names_check(user)
    with transaction.atomic():
        accounts_lock()
        if User.objects.filter(username__iexact=username).exists():
            raise AlreadyExists("person", username)
        user.save(force_insert=True)
        account_record(principal, "account", username, after=account_shown(user))
        for name in groups:
            _group_enter(principal, group_get(name), user)
    return _person(username)


def _names_check(user: User) -> None:
    name_check("person", user.username)
    try:
        User.username_validator(user.username)
        if user.email:
            validate_email(user.email)
    except ValidationError as problem:
        raise InvalidValue(" ".join(problem.messages), remedy="Write another one.") from None


def person_change(
    principal: Principal, username: str, wanted: dict[str, Any], *, check: Callable[[User], None]
) -> User:
    """Change names, address, standing, or whether the account is active. ``check`` sees it as it is and may object.

    An account that is disabled has no session and no token from then on. Those do not come back with it.
    """
    standing_require(principal, Action.MANAGE_PEOPLE)
    with transaction.atomic():
        accounts_lock()
        user = _person(username)
        _person_require(user)
        _touch_require(principal, user)
        if "standing" in wanted:
            standing_require(principal, Action.MANAGE_GROUPS)
        check(user)
        before = account_shown(user)
        for name in ("email", "first_name", "last_name", "is_active"):
            setattr(user, name, wanted.get(name, getattr(user, name)))
        standing = Standing(wanted.get("standing", before["standing"]))
        user.is_superuser, user.is_staff = standing is Standing.SUPERUSER, standing >= Standing.STAFF
        _names_check(user)
        after = account_shown(user)
        if after == before:
            return user
        _superuser_keep(user, before)
        user.save(update_fields=["email", "first_name", "last_name", "is_active", "is_superuser", "is_staff"])
        if before["is_active"] and not user.is_active:
            _doors_close(user)
        account_record(principal, "account", username, before=before, after=after)
    return _person(username)


def _touch_require(principal: Principal, user: User) -> None:
    if standing_of(user) > Standing.PERSON and principal.standing < Standing.SUPERUSER:
        raise PermissionDenied(
            f"You may not change the account of {user.username}: that takes a superuser, since it is of the staff.",
            remedy="Ask a superuser to do this.",
            action=Action.MANAGE_PEOPLE.value,
            standing=Standing.SUPERUSER.value,
        )


def person_touch_require(principal: Principal, user: User) -> None:
    """Raises PermissionDenied for an agent's account, and for one of the staff where a superuser is not asking."""
    _person_require(user)
    _touch_require(principal, user)


def _superuser_keep(user: User, before: dict[str, Any]) -> None:
    """An agent administers nothing, so it is not counted. The caller holds the lock, so that two superusers cannot
    disable each other at once.
    """
    was = before["is_active"] and before["standing"] == Standing.SUPERUSER.value
    if not was or (user.is_active and user.is_superuser):
        return
    others = User.objects.filter(is_active=True, is_superuser=True, agent__isnull=True).exclude(pk=user.pk)
    if not others.exists():
        raise InvalidValue(
            f"{user.username} is the last active superuser.", remedy="Make somebody else a superuser first."
        )


def _doors_close(user: User) -> None:
    now = timezone.now()
    sessions_end(user)
    AccessToken.objects.filter(user=user, revoked_at__isnull=True).update(revoked_at=now)
    Invitation.objects.filter(user=user, ended_at__isnull=True).update(ended_at=now)


def account_shown(user: User) -> dict[str, Any]:
    """The account as the audit keeps it."""
    return {
        "is_active": user.is_active,
        "standing": standing_of(user).value,
        "email": user.email,
        "first_name": user.first_name,
        "last_name": user.last_name,
    }


def link_require(principal: Principal, user: User) -> None:
    """Whoever makes a link for an account can open it. So only superusers make one for an account that was used or
    has rights, and no person for an agent's.
    """
    standing_require(principal, Action.MANAGE_PEOPLE)
    _person_require(user)
    _touch_require(principal, user)
    if not user.is_active:
        raise InvalidValue(f"The account of {user.username} is disabled.", remedy="Enable it first.")
    if account_opens_something(user):
        standing_require(principal, Action.MANAGE_GROUPS)


def account_opens_something(user: User) -> bool:
    """Whether somebody used the account, or whoever opens it gains a right: a link for it takes a superuser."""
    return (
        user.last_login is not None
        or user.has_usable_password()
        or standing_of(user) > Standing.PERSON
        or user.groups.exists()
        or any(kind.objects.filter(user=user).exists() for kind in (ExternalIdentity, CatalogMember, AccessToken))
    )


def _person_require(user: User) -> None:
    if is_agent(user):
        raise PermissionDenied(
            f"{user.username} is an agent: its owner changes and ends it, and no person signs in as it.",
            remedy="Ask its owner, or a superuser, to do this under /api/v1/agents/.",
            action=Action.MANAGE_PEOPLE.value,
        )


# -- groups -----------------------------------------------------------------------------------------------------------


def group_add(principal: Principal, name: str) -> Group:
    """A new group. Raises AlreadyExists, InvalidValue."""
    standing_require(principal, Action.MANAGE_GROUPS)
    name = name_folded(name)
    name_check("group", name)
    try:
        with transaction.atomic():
            account_record(principal, "group", name, after={})
            return Group.objects.create(name=name)
    except IntegrityError:
        raise AlreadyExists("group", name) from None


def group_remove(principal: Principal, name: str) -> None:
    """Remove a group that has no role in any catalog. Raises NotFound, InvalidValue."""
    standing_require(principal, Action.MANAGE_GROUPS)
    with transaction.atomic():
        accounts_lock()
        group = Group.objects.select_for_update().filter(pk=group_get(name).pk).get()
        held = list(group.catalog_roles.values_list("catalog__name", flat=True)[:10])
        if held:
            raise InvalidValue(
                f"The group {name} has a role in {', '.join(sorted(held))}.", remedy="Take its roles away first."
            )
        restricted = list(Restriction.objects.filter(group=group).values_list("catalog__name", flat=True)[:10])
        if restricted:
            raise InvalidValue(
                f"Rows are restricted for the group {name} in {', '.join(sorted(set(restricted)))}.",
                remedy="Lift these restrictions first.",
            )
        members = sorted(group.user_set.values_list("username", flat=True))
        group.delete()
        account_record(principal, "group", name, before={"members": members})


def group_enter(principal: Principal, name: str, username: str) -> User:
    """Put somebody into a group; nothing happens where they are in it."""
    standing_require(principal, Action.MANAGE_GROUPS)
    with transaction.atomic():
        accounts_lock()
        _group_enter(principal, group_get(name), _person(username))
    return _person(username)


def group_leave(principal: Principal, name: str, username: str) -> None:
    """Take somebody out of a group. Raises NotFound where they are not in it."""
    standing_require(principal, Action.MANAGE_GROUPS)
    with transaction.atomic():
        accounts_lock()
        group, user = group_get(name), _person(username)
        if not user.groups.filter(pk=group.pk).exists():
            raise NotFound("member", username, where=f"of the group {name}")
        user.groups.remove(group)
        account_record(principal, "group member", username, before={"group": name})


def _group_enter(principal: Principal, group: Group, user: User) -> None:
    if not user.groups.filter(pk=group.pk).exists():
        user.groups.add(group)
        account_record(principal, "group member", user.username, after={"group": group.name})


def groups_follow(principal: Principal, user: User, *, claimed: Collection[str], managed: Collection[str]) -> None:
    """Of the groups ``managed`` elsewhere the person is in those ``claimed``, and in no other. The rest stay."""
    with transaction.atomic():
        present = set(user.groups.filter(name__in=managed).values_list("name", flat=True))
        if present == set(claimed):
            return
        accounts_lock()
        for name in sorted(set(claimed) - present):
            group, is_new = Group.objects.get_or_create(name=name)
            if is_new:
                account_record(principal, "group", name, after={})
            _group_enter(principal, group, user)
        for group in user.groups.filter(name__in=present - set(claimed)):
            user.groups.remove(group)
            account_record(principal, "group member", user.username, before={"group": group.name})
