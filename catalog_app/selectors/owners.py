"""Owners of tables: the members of their groups, and who can be named as one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User

from catalog_app.domain.owners import OwnerEntry, entry_read, pattern_fault
from catalog_app.domain.roles import Action, Role, may
from catalog_app.models import Catalog, GroupRole
from catalog_app.selectors.people import users_who_may
from lakeui.common.errors import InvalidValue


def entries_load(documents: Iterable[Mapping[str, Any]]) -> tuple[OwnerEntry, ...]:
    """The entries of stored documents, with the members that their groups have now."""
    found = list(documents)
    members = _members({group for document in found for group in document["groups"]})
    return tuple(entry_read(document, members) for document in found)


def _members(groups: Collection[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    named = User.objects.filter(groups__name__in=groups) if groups else User.objects.none()
    for group, name in named.values_list("groups__name", "username"):
        found.setdefault(group, []).append(name)
    return found


def owners_check(catalog: Catalog, documents: Iterable[Mapping[str, Any]]) -> None:
    """Raises InvalidValue for a pattern that is not understood, and for who cannot review in the catalog."""
    found = list(documents)
    for document in found:
        fault = pattern_fault(document["pattern"])
        if fault:
            raise InvalidValue(
                f"The pattern {document['pattern']} is not understood: {fault}.",
                remedy="Write database.table: * is any characters, ? one, and database.* the whole database.",
                field="owners",
            )
    people = {name for document in found for name in document["people"]}
    users = dict(User.objects.filter(username__in=people).values_list("username", "pk"))
    able = users_who_may(Action.REVIEW, catalog_id=catalog.pk, among=list(users.values()))
    roles = [role.value for role in Role if may(role, Action.REVIEW)]
    groups = set(GroupRole.objects.filter(catalog=catalog, role__in=roles).values_list("group__name", flat=True))
    # An agent is none either, and both answers are alike: whether there is an account says nothing here.
    unable = sorted(name for name in people if users.get(name) not in able)
    unable += sorted({name for document in found for name in document["groups"]} - groups)
    if unable:
        raise InvalidValue(
            f"{', '.join(unable)}: no reviewer of this catalog, and no group of reviewers.",
            remedy="Name people and groups who may review.",
            field="owners",
        )
