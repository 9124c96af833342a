"""Roles of people in catalogs, and which catalogs exist for whom."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from django.contrib.auth.models import Group, User
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Lower

from catalog_app.domain.agents import ACTIONS as AGENT_ACTIONS
from catalog_app.domain.agents import Account
from catalog_app.domain.names import name_folded
from catalog_app.domain.roles import RIGHTS, Action, Principal, Role, Standing, may, scope_allows
from catalog_app.models import Branch, Catalog, CatalogMember, GroupRole
from catalog_app.selectors.agents import account_of, agent_action_require, agents_among
from catalog_app.selectors.restrictions import restrictions_refuse, without_restricted
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import catalog_with_branch
from lakeui.common.errors import NotFound, PermissionDenied
from lakeui.common.nearest import nearest_name


def catalogs_visible(principal: Principal) -> QuerySet[Catalog]:
    """The catalogs of which whoever asks sees everything, dropped ones included; to be filtered further or used as a
    subquery. What is found by them shows rows, texts of statements and counts, so none may be restricted.
    """
    return without_restricted(catalogs_known(principal), principal)


def catalogs_known(principal: Principal) -> QuerySet[Catalog]:
    """The catalogs that exist for whoever asks, those too in which rows are restricted: for their names alone."""
    found = Catalog.objects.all() if principal.catalogs is None else Catalog.objects.filter(pk__in=principal.catalogs)
    if principal.sees_everything:
        return found
    assert principal.user_id is not None
    by_name = CatalogMember.objects.filter(user_id=principal.user_id).values("catalog")
    by_group = GroupRole.objects.filter(group__user=principal.user_id).values("catalog")
    return found.filter(Q(pk__in=by_name) | Q(pk__in=by_group))


def catalogs_read_require(principal: Principal, catalog_ids: Collection[int]) -> None:
    """Raises PermissionDenied unless whoever asks still sees all of these catalogs; of none at least one catalog. A
    query that reads no table takes that, too.
    """
    scope_require(principal, Action.READ)
    visible = catalogs_visible(principal)
    wanted = set(catalog_ids)
    if visible.filter(pk__in=wanted).count() == len(wanted) if wanted else visible.exists():
        return
    raise PermissionDenied(
        "You no longer see a catalog that this was read from.",
        remedy="Ask an owner of the catalog to make you a member again.",
    )


def catalog_names(catalog_ids: Collection[int]) -> list[str]:
    """Names of those of the catalogs that are valid, in order."""
    found = Catalog.objects.filter(pk__in=catalog_ids, dropped_at__isnull=True)
    return list(found.order_by(Lower("name")).values_list("name", flat=True))


def catalog_reach(principal: Principal, name: str) -> None:
    """Raises NotFound where a token is limited to other catalogs than the one of that name, dropped or not."""
    known = catalogs_known(principal)
    if not known.filter(name__iexact=name).exists():
        raise NotFound("catalog", name, nearest=nearest_name(name, known.values_list("name", flat=True)))


def catalog_visible(principal: Principal, name: str) -> Catalog:
    """The valid catalog of that name. Raises NotFound where it does not exist for whoever asks."""
    return catalog_visible_with(principal, name, "")[0]


def catalog_visible_with(principal: Principal, name: str, branch: str) -> tuple[Catalog, Branch | None]:
    """The same with the branch of that name, if there is one."""
    if principal.catalogs is None:
        return catalog_with_branch(name, branch, member=_member(principal))
    with suppress(NotFound):
        found = catalog_with_branch(name, branch, member=_member(principal))
        if principal.reaches(found[0].pk):
            return found
    # Names of other catalogs are not proposed: they do not exist for this token.
    known = catalogs_known(principal).filter(dropped_at__isnull=True).values_list("name", flat=True)
    raise NotFound("catalog", name, nearest=nearest_name(name, known))


def _member(principal: Principal) -> int | None:
    return None if principal.sees_everything else principal.user_id


def catalog_for(principal: Principal, name: str, action: Action = Action.READ, *, keeps: bool = False) -> Catalog:
    """The valid catalog of that name, for the action. Raises NotFound where it does not exist for whoever asks, and
    PermissionDenied where it does, but the action takes more. ``keeps``: what is asked for shows nothing that may be
    restricted; without that it is refused where something is.
    """
    catalog = catalog_visible(principal, name)
    if not keeps:
        restrictions_refuse(principal, catalog)
    action_require(principal, catalog, action)
    return catalog


_ROLES = """
SELECT role FROM catalog_app_catalogmember WHERE catalog_id = %(catalog)s AND user_id = %(user)s
UNION ALL SELECT r.role FROM catalog_app_grouprole r JOIN auth_user_groups u ON u.group_id = r.group_id
WHERE r.catalog_id = %(catalog)s AND u.user_id = %(user)s
"""


def role_of(principal: Principal, catalog_id: int) -> Role | None:
    """The role in the catalog: the greatest of the membership's and of the groups'; owner for superusers and lakeui
    itself. None where the token is limited to other catalogs.
    """
    if not principal.reaches(catalog_id):
        return None
    if principal.sees_everything:
        return Role.OWNER
    assert principal.user_id is not None
    asked = {"catalog": catalog_id, "user": principal.user_id}
    return max((Role(role) for (role,) in fetch_all(_ROLES, asked, prepared=True)), default=None)


def role_of_user(user_id: int | None, catalog_id: int) -> Role | None:
    """The same for the author of a commit, of whom no more than the id is known; None is lakeui itself."""
    if user_id is None:
        return Role.OWNER
    is_superuser = User.objects.filter(pk=user_id, is_superuser=True).exists()
    return role_of(Principal(user_id, is_superuser=is_superuser), catalog_id)


def role_is_held(user_id: int, least: Role) -> bool:
    """Whether the person has at least this role in any catalog, by name or by a group."""
    roles = [role.value for role in Role if role >= least]
    by_group = GroupRole.objects.filter(group__user=user_id, role__in=roles)
    return CatalogMember.objects.filter(user=user_id, role__in=roles).exists() or by_group.exists()


def scope_require(principal: Principal, action: Action, account: Account | None = None) -> None:
    """Raises PermissionDenied where the request came with a token that does not cover the action, or from an agent that
    may not ask for it. ``account``: the principal's, where it is known.
    """
    right = RIGHTS[action]
    if action is not Action.READ:
        agent_action_require(account or account_of(principal.user_id), action)
    if not scope_allows(principal, action):
        raise PermissionDenied(
            f"This token may not {right.does}: it lacks the scope {right.scope.value}.",
            remedy=f"Use a token with the scope {right.scope.value}.",
            action=action.value,
            scope=right.scope.value,
        )
    if right.role is None and principal.catalogs is not None:
        raise PermissionDenied(
            f"This token may not {right.does}: it is limited to some catalogs.",
            remedy="Use a token without that limit.",
            action=action.value,
        )


def standing_require(principal: Principal, action: Action) -> None:
    """Raises PermissionDenied unless token and standing on the server allow the action."""
    scope_require(principal, action)
    right = RIGHTS[action]
    if principal.standing < right.standing:
        who = "superuser" if right.standing is Standing.SUPERUSER else "member of the staff"
        raise PermissionDenied(
            f"You may not {right.does}: that takes a {who} of this server.",
            remedy=f"Ask a {who} to do this.",
            action=action.value,
            standing=right.standing.value,
        )


def action_require(principal: Principal, catalog: Catalog, action: Action, account: Account | None = None) -> None:
    """Raises PermissionDenied, with who could, unless role and token allow the action. The catalog must be visible.
    ``account``: the principal's, where it is known.
    """
    scope_require(principal, action, account)
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
    """Those of these users whose role in the catalog allows the action, by name or by group, and superusers."""
    if not among:
        return frozenset()
    roles = [role.value for role in Role if may(role, action)]
    members = CatalogMember.objects.filter(catalog_id=catalog_id, role__in=roles).values("user")
    groups = GroupRole.objects.filter(catalog_id=catalog_id, role__in=roles).values("group")
    grouped = User.groups.through.objects.filter(group__in=groups).values("user")
    # An agent approves nothing, whatever its role.
    among = set(among) - (agents_among(among) if action not in AGENT_ACTIONS else frozenset())
    active = User.objects.filter(pk__in=among, is_active=True)
    able = Q(is_superuser=True) | Q(pk__in=members) | Q(pk__in=grouped)
    return frozenset(active.filter(able).values_list("pk", flat=True))


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


def group_roles_list(catalog: Catalog, *, after: tuple[str, int] | None = None, limit: int) -> list[GroupRole]:
    """Groups that have a role in the catalog, by name, behind the key ``after`` (``sort_key`` and id)."""
    found = GroupRole.objects.filter(catalog=catalog).annotate(sort_key=Lower("group__name"))
    found = found.annotate(member_count=Count("group__user"))
    if after is not None:
        found = found.filter(Q(sort_key__gt=after[0]) | Q(sort_key=after[0], pk__gt=after[1]))
    return list(found.select_related("group").order_by("sort_key", "pk")[:limit])


def group_role_get(catalog: Catalog, name: str) -> GroupRole:
    """The role of the group of that name. Raises NotFound with the nearest one."""
    roles = GroupRole.objects.filter(catalog=catalog)
    found = roles.select_related("group").annotate(member_count=Count("group__user")).filter(group__name=name).first()
    if found is None:
        nearest = nearest_name(name, roles.values_list("group__name", flat=True))
        raise NotFound("group", name, nearest=nearest, where=f"with a role in catalog {catalog.name}")
    return found


def group_get(name: str) -> Group:
    """The group of that name. Raises NotFound with the nearest one."""
    found = Group.objects.filter(name=name_folded(name)).first()
    if found is None:
        raise NotFound("group", name, nearest=nearest_name(name, Group.objects.values_list("name", flat=True)))
    return found


def person_id(principal: Principal) -> int:
    """The user who asks. What a person answers for cannot be done by lakeui itself."""
    if principal.user_id is None:
        raise PermissionDenied("Only a person can do this.", remedy="Sign in.")
    return principal.user_id
