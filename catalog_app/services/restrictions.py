"""Set and lift restrictions of rows and columns. Every change goes into the audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction

from catalog_app.domain.restrictions import Restriction as RestrictionValue
from catalog_app.models import Catalog, Restriction
from catalog_app.selectors.restrictions import restriction_value, stored_restriction_get
from catalog_app.services.settings import RecordChange, SettingChange, settings_lock
from lakeui.common.errors import AlreadyExists


def restriction_as_json(restriction: Restriction) -> dict[str, Any]:
    """What the restriction says, as the audit keeps it."""
    return {
        "table": restriction.table_name,
        "table_id": restriction.table_id,
        "role": restriction.role or None,
        "group": restriction.group.name if restriction.group else None,
        "row_filter": restriction.row_filter,
        "masks": restriction.masks,
    }


def restriction_add(
    *,
    catalog: Catalog,
    table_name: str,
    value: RestrictionValue,
    role: str,
    group: Group | None,
    user_id: int | None,
    record: RecordChange,
) -> Restriction:
    """A new restriction of a table, for a role and those below it or for a group. Raises AlreadyExists."""
    with transaction.atomic():
        settings_lock(catalog)
        try:
            with transaction.atomic():
                made = Restriction.objects.create(
                    catalog=catalog,
                    table_id=value.table_id,
                    table_name=table_name,
                    role=role,
                    group=group,
                    created_by_id=user_id,
                    **_fields(value),
                )
        except IntegrityError:
            who = f"the role {role}" if role else f"the group {group}"
            raise AlreadyExists(
                "restriction", table_name, where=f"for {who}", remedy="Lift that one first, then set the new one."
            ) from None
        record(catalog, SettingChange("restriction", _name(made), None, restriction_as_json(made)))
    return made


def restriction_amend(
    *,
    catalog: Catalog,
    table_name: str,
    table_id: int,
    role: str,
    group: Group | None,
    user_id: int | None,
    value: Callable[[RestrictionValue], RestrictionValue],
    record: RecordChange,
) -> Restriction | None:
    """Make the restriction of the table for the role or the group what ``value`` makes of the present one, which hides
    nothing where there is none. What hides nothing any more is lifted: None.
    """
    with transaction.atomic():
        settings_lock(catalog)
        found = Restriction.objects.filter(catalog=catalog, table_id=table_id, role=role, group=group).first()
        wanted = value(RestrictionValue(table_id) if found is None else restriction_value(found))
        if found is None:
            if not wanted.hides_something:
                return None
            whom: dict[str, Any] = {"role": role, "group": group, "user_id": user_id}
            return restriction_add(catalog=catalog, table_name=table_name, value=wanted, **whom, record=record)
        of_it: dict[str, Any] = {"catalog": catalog, "restriction_id": found.pk, "check": lambda _: None}
        if wanted.hides_something:
            return restriction_change(**of_it, value=lambda _: wanted, record=record)
        restriction_remove(**of_it, record=record)
    return None


def restriction_change(
    *,
    catalog: Catalog,
    restriction_id: int,
    value: Callable[[Restriction], RestrictionValue],
    check: Callable[[Restriction], None],
    record: RecordChange,
) -> Restriction:
    """Hide other rows or columns of the same table from the same people, at once. ``check`` sees the restriction as it
    is and may object. Raises NotFound.
    """
    with transaction.atomic():
        settings_lock(catalog)
        found = stored_restriction_get(catalog, restriction_id)
        check(found)
        before, fields = restriction_as_json(found), _fields(value(found))
        for name, item in fields.items():
            setattr(found, name, item)
        if restriction_as_json(found) != before:
            found.save(update_fields=list(fields))
            record(catalog, SettingChange("restriction", _name(found), before, restriction_as_json(found)))
    return found


def restriction_remove(
    *, catalog: Catalog, restriction_id: int, check: Callable[[Restriction], None], record: RecordChange
) -> None:
    """Lift a restriction. ``check`` sees it and may object. Raises NotFound."""
    with transaction.atomic():
        settings_lock(catalog)
        found = stored_restriction_get(catalog, restriction_id)
        check(found)
        before = restriction_as_json(found)
        found.delete()
        record(catalog, SettingChange("restriction", _name(found), before, None))


def _fields(value: RestrictionValue) -> dict[str, Any]:
    return {
        "row_filter": value.row_filter,
        "masks": [{"column": mask.column, "name": mask.name, "expression": mask.expression} for mask in value.masks],
        "names": {str(identifier): name for identifier, name in value.names.items()},
    }


def _name(restriction: Restriction) -> str:
    return f"{restriction.table_name} for {restriction.role or restriction.group}"
