"""Change who has which role in a catalog."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction

from catalog_app.domain.roles import Role
from catalog_app.models import Catalog, CatalogMember, GroupRole
from catalog_app.selectors.agents import is_agent
from catalog_app.selectors.people import group_role_get, member_get
from catalog_app.services.settings import RecordChange, SettingChange, settings_lock
from lakeui.common.errors import AlreadyExists, InvalidValue


def member_add(*, catalog: Catalog, user: User, role: Role, record: RecordChange) -> CatalogMember:
    """Give somebody who has no role in the catalog one. Raises AlreadyExists."""
    name = user.get_username()
    with transaction.atomic():
        settings_lock(catalog)
        try:
            with transaction.atomic():
                member = CatalogMember.objects.create(catalog=catalog, user=user, role=role.value)
        except IntegrityError:
            raise AlreadyExists(
                "member", name, where=f"in catalog {catalog.name}", remedy="Change the role instead."
            ) from None
        record(catalog, SettingChange("member", name, None, {"role": role.value}))
    return member


def member_change(
    *, catalog: Catalog, username: str, role: Role, check: Callable[[CatalogMember], None], record: RecordChange
) -> CatalogMember:
    """Give a member another role. ``check`` sees the member as it is and may object. Raises NotFound, and InvalidValue
    where the catalog would be left without an owner.
    """
    with transaction.atomic():
        settings_lock(catalog)
        member = member_get(catalog, username)
        check(member)
        before = Role(member.role)
        if role is before:
            return member
        _keep_an_owner(member)
        member.role = role.value
        member.save(update_fields=["role"])
        change = SettingChange("member", member.user.get_username(), {"role": before.value}, {"role": role.value})
        record(catalog, change)
    return member


def member_remove(
    *, catalog: Catalog, username: str, check: Callable[[CatalogMember], None], record: RecordChange
) -> None:
    """Take somebody's role away: the catalog does not exist for them any more. Raises as ``member_change`` does."""
    with transaction.atomic():
        settings_lock(catalog)
        member = member_get(catalog, username)
        check(member)
        _keep_an_owner(member)
        member.delete()
        record(catalog, SettingChange("member", member.user.get_username(), {"role": member.role}, None))


def group_role_add(*, catalog: Catalog, group: Group, role: Role, record: RecordChange) -> GroupRole:
    """Give a group that has no role in the catalog one. Raises AlreadyExists."""
    with transaction.atomic():
        settings_lock(catalog)
        group = Group.objects.select_for_update(no_key=True).get(pk=group.pk)
        try:
            with transaction.atomic():
                GroupRole.objects.create(catalog=catalog, group=group, role=role.value)
        except IntegrityError:
            raise AlreadyExists(
                "group", group.name, where=f"in catalog {catalog.name}", remedy="Change the role instead."
            ) from None
        record(catalog, SettingChange("group", group.name, None, {"role": role.value}))
        return group_role_get(catalog, group.name)


def group_role_change(
    *, catalog: Catalog, group: str, role: Role, check: Callable[[GroupRole], None], record: RecordChange
) -> GroupRole:
    """Give a group another role. ``check`` sees the role as it is and may object. Raises NotFound."""
    with transaction.atomic():
        settings_lock(catalog)
        found = group_role_get(catalog, group)
        check(found)
        before = found.role
        if role.value != before:
            GroupRole.objects.filter(pk=found.pk).update(role=role.value)
            found.role = role.value
            record(catalog, SettingChange("group", group, {"role": before}, {"role": role.value}))
    return found


def group_role_remove(
    *, catalog: Catalog, group: str, check: Callable[[GroupRole], None], record: RecordChange
) -> None:
    """Take a group's role away. Members who have a role by name keep that. Raises NotFound."""
    with transaction.atomic():
        settings_lock(catalog)
        found = group_role_get(catalog, group)
        check(found)
        found.delete()
        record(catalog, SettingChange("group", group, {"role": found.role}, None))


def _keep_an_owner(leaving: CatalogMember) -> None:
    """An agent manages no members, so only people count."""
    if leaving.role != Role.OWNER.value or is_agent(leaving.user):
        return
    owners = CatalogMember.objects.filter(catalog=leaving.catalog_id, role=Role.OWNER.value)
    owners = owners.filter(user__is_active=True, user__agent__isnull=True)
    if not owners.exclude(pk=leaving.pk).exists():
        raise InvalidValue(
            f"{leaving.user.get_username()} is the last owner of the catalog by name.",
            remedy="Make somebody else owner first.",
        )
