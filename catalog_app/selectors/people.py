"""Roles of people in catalogs, and which catalogs exist for whom."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from catalog_app.domain.roles import RIGHTS, Action, Principal, Role, may, scope_allows
from catalog_app.models import Catalog, CatalogMember
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import NotFound, PermissionDenied
from lakeui.common.nearest import nearest_name


def catalogs_visible(principal: Principal) -> QuerySet[Catalog]:
    """The catalogs that exist for whoever asks, dropped ones included; to be filtered further or used as a subquery."""
    if principal.sees_everything:
        return Catalog.objects.all()
    assert principal.user_id is not None
    return Catalog.objects.filter(pk__in=CatalogMember.objects.filter(user_id=principal.user_id).values("catalog"))


def catalog_visible(principal: Principal, name: str) -> Catalog:
    """The valid catalog of that name. Raises NotFound where it does not exist for whoever asks."""
    return catalog_get(name, member=None if principal.sees_everything else principal.user_id)


def catalog_for(principal: Principal, name: str, action: Action = Action.READ) -> Catalog:
    """The valid catalog of that name, for the action. Raises NotFound where it does not exist for whoever asks, and
    PermissionDenied where it does, but the action takes more.
    """
    catalog = catalog_visible(principal, name)
    action_require(principal, catalog, action)
    return catalog


_ROLE = "SELECT role FROM catalog_app_catalogmember WHERE catalog_id = %(catalog)s AND user_id = %(user)s"


def role_of(principal: Principal, catalog_id: int) -> Role | None:
    """The role in the catalog: the membership's, or owner for superusers and lakeui itself."""
    if principal.sees_everything:
        return Role.OWNER
    assert principal.user_id is not None
    asked = {"catalog": catalog_id, "user": principal.user_id}
    return next((Role(role) for (role,) in fetch_all(_ROLE, asked, prepared=True)), None)


def role_of_user(user_id: int | None, catalog_id: int) -> Role | None:
    """The same for the author of a commit, of whom no more than the id is known; None is lakeui itself."""
    if user_id is None:
        return Role.OWNER
    is_superuser = User.objects.filter(pk=user_id, is_superuser=True).exists()
    return role_of(Principal(user_id, is_superuser=is_superuser), catalog_id)


def scope_require(principal: Principal, action: Action) -> None:
    """Raises PermissionDenied where the request came with a token that does not cover the action."""
    right = RIGHTS[action]
    if not scope_allows(principal, action):
        raise PermissionDenied(
            f"This token may not {right.does}: it lacks the scope {right.scope.value}.",
            remedy=f"Use a token with the scope {right.scope.value}.",
            action=action.value,
            scope=right.scope.value,
        )


def action_require(principal: Principal, catalog: Catalog, action: Action) -> None:
    """Raises PermissionDenied, with who could, unless role and token allow the action. The catalog must be visible."""
    scope_require(principal, action)
    least = RIGHTS[action].role
    if least is None or least is Role.VIEWER:
        # Whoever sees the catalog has at least this role.
        return
    role = role_of(principal, catalog.pk)
    if not may(role, action):
        raise PermissionDenied(
            f"You may not {RIGHTS[action].does}: that takes the role {least.value} of catalog {catalog.name}"
            + (f", and yours is {role.value}." if role else "."),
            remedy="Ask an owner of the catalog for the role, or somebody who has it to do this.",
            action=action.value,
            role=least.value,
        )


def users_who_may(action: Action, *, catalog_id: int, among: Collection[int]) -> frozenset[int]:
    """Those of these users whose role in the catalog allows the action: members by role, and superusers."""
    if not among:
        return frozenset()
    roles = [role.value for role in Role if may(role, action)]
    members = CatalogMember.objects.filter(catalog_id=catalog_id, role__in=roles).values("user")
    active = User.objects.filter(pk__in=among, is_active=True)
    return frozenset(active.filter(Q(is_superuser=True) | Q(pk__in=members)).values_list("pk", flat=True))


def members_list(
    catalog: Catalog, *, search: str = "", role: str = "", after: tuple[str, int] | None = None, limit: int
) -> list[CatalogMember]:
    """Members by user name, behind the key ``after`` (``sort_key`` and id)."""
    found = CatalogMember.objects.filter(catalog=catalog).annotate(sort_key=Lower("user__username"))
    if search:
        found = found.filter(user__username__icontains=search)
    if role:
        found = found.filter(role=role)
    if after is not None:
        found = found.filter(Q(sort_key__gt=after[0]) | Q(sort_key=after[0], pk__gt=after[1]))
    return list(found.select_related("user").order_by("sort_key", "pk")[:limit])


def member_get(catalog: Catalog, username: str) -> CatalogMember:
    """The member of that user name. Raises NotFound with the nearest one."""
    members = CatalogMember.objects.filter(catalog=catalog)
    member = members.select_related("user").filter(user__username=username).first()
    if member is None:
        nearest = nearest_name(username, members.values_list("user__username", flat=True))
        raise NotFound("member", username, nearest=nearest, where=f"of catalog {catalog.name}")
    return member


def candidates_list(
    catalog: Catalog, *, search: str = "", after: tuple[str, int] | None = None, limit: int
) -> list[User]:
    """Active users who have no role in the catalog yet, by name, behind the key ``after`` (``sort_key`` and id)."""
    found = User.objects.filter(is_active=True).exclude(pk__in=catalog.members.values("user"))
    found = found.annotate(sort_key=Lower("username"))
    if search:
        found = found.filter(
            Q(username__icontains=search) | Q(first_name__icontains=search) | Q(last_name__icontains=search)
        )
    if after is not None:
        found = found.filter(Q(sort_key__gt=after[0]) | Q(sort_key=after[0], pk__gt=after[1]))
    return list(found.order_by("sort_key", "pk")[:limit])


def user_get(username: str) -> User:
    """The active user of that name. Raises NotFound."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise NotFound("user", username)
    return user
