"""Make, change and remove the rules that protect branches. Every change goes into the audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.db import IntegrityError, transaction

from catalog_app.models import Catalog, ProtectionRule
from catalog_app.selectors.owners import owners_check
from catalog_app.selectors.protection import protection_rule_get
from catalog_app.services.settings import RecordChange, SettingChange, settings_lock
from lakeui.common.errors import AlreadyExists

RULE_FIELDS = (
    "pattern",
    "required_approvals",
    "required_checks",
    "required_statuses",
    "merge_role",
    "refuse_direct_writes",
    "refuse_direct_merges",
    "refuse_deletion",
    "refuse_stale_reads",
    "allow_queue_unchanged",
    "allow_bypass",
    "policies",
    "owners",
    "require_owner_approval",
)


def rule_as_json(rule: ProtectionRule) -> dict[str, Any]:
    """What the rule says, as the audit keeps it, and which version of it that is."""
    return {**{name: getattr(rule, name) for name in RULE_FIELDS}, "version": rule.version}


def protection_rule_add(
    *, catalog: Catalog, fields: Mapping[str, Any], user_id: int | None, record: RecordChange
) -> ProtectionRule:
    """A new rule; ``fields`` are some of RULE_FIELDS, ``pattern`` among them. Raises AlreadyExists."""
    with transaction.atomic():
        settings_lock(catalog)
        owners_check(catalog, fields.get("owners", ()))
        author = {"policies_by_id": user_id} if fields.get("policies") else {}
        try:
            with transaction.atomic():
                rule = ProtectionRule.objects.create(catalog=catalog, created_by_id=user_id, **author, **fields)
        except IntegrityError:
            raise _taken(catalog, fields["pattern"]) from None
        record(catalog, SettingChange("protection rule", rule.pattern, None, rule_as_json(rule)))
    return rule


def protection_rule_change(
    *,
    catalog: Catalog,
    rule_id: int,
    fields: Mapping[str, Any],
    user_id: int | None,
    check: Callable[[ProtectionRule], None],
    record: RecordChange,
) -> ProtectionRule:
    """Change some fields. ``check`` sees the rule as it is and may object. Raises NotFound and AlreadyExists.

    A change makes a new version of the rule. Who changes its policies answers for what they merge from then on.
    """
    with transaction.atomic():
        settings_lock(catalog)
        rule = protection_rule_get(catalog, rule_id)
        check(rule)
        owners_check(catalog, fields.get("owners", ()))
        before = rule_as_json(rule)
        for name, value in fields.items():
            setattr(rule, name, value)
        if rule_as_json(rule) != before:
            rule.version += 1
            if rule.policies != before["policies"]:
                rule.policies_by_id = user_id
            try:
                with transaction.atomic():
                    rule.save(update_fields=[*fields, "version", "policies_by"])
            except IntegrityError:
                raise _taken(catalog, rule.pattern) from None
            record(catalog, SettingChange("protection rule", before["pattern"], before, rule_as_json(rule)))
    return rule


def protection_rule_remove(
    *, catalog: Catalog, rule_id: int, check: Callable[[ProtectionRule], None], record: RecordChange
) -> None:
    """Remove a rule. Raises NotFound."""
    with transaction.atomic():
        settings_lock(catalog)
        rule = protection_rule_get(catalog, rule_id)
        check(rule)
        before = rule_as_json(rule)
        rule.delete()
        record(catalog, SettingChange("protection rule", rule.pattern, before, None))


def _taken(catalog: Catalog, pattern: str) -> AlreadyExists:
    return AlreadyExists(
        "protection rule", pattern, where=f"in catalog {catalog.name}", remedy="Change that rule instead."
    )
