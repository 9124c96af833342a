"""Keep, read, change and remove queries. A private one does not exist for anybody but its owner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower
from django.utils import timezone

from catalog_app.domain.roles import Action, Principal, Role
from catalog_app.models import Catalog
from catalog_app.selectors.people import action_require, person_id, role_of
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound, PermissionDenied
from merge_app.queries.models import SavedQuery

MOST_QUERIES = 500
"""So many a person keeps in a catalog."""


def queries_list(
    principal: Principal, catalog: Catalog, *, search: str = "", after: tuple[str, int] | None = None, limit: int
) -> list[SavedQuery]:
    """The person's own and the shared ones by name, behind the key ``after`` (``sort_key`` and id)."""
    found = _seen(principal, catalog).annotate(sort_key=Lower("name"))
    if search:
        found = found.filter(name__icontains=search)
    if after is not None:
        found = found.filter(Q(sort_key__gt=after[0]) | Q(sort_key=after[0], pk__gt=after[1]))
    return list(found.order_by("sort_key", "pk")[:limit])


def query_get(principal: Principal, catalog: Catalog, query_id: int) -> SavedQuery:
    """A query that the person sees. Raises NotFound."""
    found = _seen(principal, catalog).filter(pk=query_id).first()
    if found is None:
        raise NotFound("saved query", str(query_id), where=f"in catalog {catalog.name}")
    return found


def query_save(*, principal: Principal, catalog: Catalog, fields: Mapping[str, Any]) -> SavedQuery:
    """Keep a query. Raises AlreadyExists where the person has one of that name, and InvalidValue for one too many."""
    action_require(principal, catalog, Action.SAVE_QUERY)
    owner_id = person_id(principal)
    with transaction.atomic():
        # One after the other for a person, so that the number is exact.
        User.objects.select_for_update(no_key=True).get(pk=owner_id)
        if SavedQuery.objects.filter(catalog=catalog, owner=owner_id).count() >= MOST_QUERIES:
            raise InvalidValue(f"You keep {MOST_QUERIES} queries here, which is the most.", remedy="Remove some.")
        try:
            with transaction.atomic():
                made = SavedQuery.objects.create(catalog=catalog, owner_id=owner_id, **fields)
        except IntegrityError:
            raise _taken(catalog, fields["name"]) from None
    return query_get(principal, catalog, made.pk)


def query_change(
    *,
    principal: Principal,
    catalog: Catalog,
    query_id: int,
    fields: Mapping[str, Any],
    check: Callable[[SavedQuery], None],
) -> SavedQuery:
    """Change the name, the text, or who sees it. ``check`` sees the query as it is and may object."""
    action_require(principal, catalog, Action.SAVE_QUERY)
    with transaction.atomic():
        query = _locked(principal, catalog, query_id)
        if query.owner_id != principal.user_id:
            raise PermissionDenied(
                f"The query {query.name} is not yours.", remedy="Save it under a name of your own, and change that."
            )
        check(query)
        for name, value in fields.items():
            setattr(query, name, value)
        query.updated_at = timezone.now()
        try:
            with transaction.atomic():
                query.save(update_fields=[*fields, "updated_at"])
        except IntegrityError:
            raise _taken(catalog, query.name) from None
    return query


def query_remove(*, principal: Principal, catalog: Catalog, query_id: int, check: Callable[[SavedQuery], None]) -> None:
    """Remove a query of one's own; an owner of the catalog removes each shared one."""
    action_require(principal, catalog, Action.SAVE_QUERY)
    with transaction.atomic():
        query = _locked(principal, catalog, query_id)
        if query.owner_id != principal.user_id and role_of(principal, catalog.pk) is not Role.OWNER:
            raise PermissionDenied(
                f"The query {query.name} is not yours.", remedy="Ask its owner, or an owner of the catalog."
            )
        check(query)
        query.delete()


def _seen(principal: Principal, catalog: Catalog) -> QuerySet[SavedQuery]:
    own = Q(owner=principal.user_id) if principal.user_id is not None else Q(pk__in=[])
    return SavedQuery.objects.filter(own | Q(is_shared=True), catalog=catalog).select_related("owner")


def _locked(principal: Principal, catalog: Catalog, query_id: int) -> SavedQuery:
    SavedQuery.objects.select_for_update(no_key=True).filter(catalog=catalog, pk=query_id).first()
    return query_get(principal, catalog, query_id)


def _taken(catalog: Catalog, name: str) -> AlreadyExists:
    return AlreadyExists(
        "saved query", name, where=f"of yours in catalog {catalog.name}", remedy="Choose another name, or change it."
    )
