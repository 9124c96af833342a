"""Which protection holds for a branch, by the rules of its catalog."""

from __future__ import annotations

from catalog_app.domain.protection import Protection, pattern_matches, strictest
from catalog_app.domain.roles import Role
from catalog_app.models import Branch, ProtectionRule


def protection_of(branch: Branch) -> Protection | None:
    """The protection in force; None where no pattern matches. A transaction's workspace has none: what is done there
    reaches nobody before COMMIT, which is judged by its target.
    """
    return None if branch.is_workspace else protection_of_name(branch.catalog_id, branch.name)


def protection_of_name(catalog_id: int, name: str) -> Protection | None:
    """The protection that a branch of that name has, or would have."""
    rules = ProtectionRule.objects.filter(catalog_id=catalog_id).order_by("pk")
    return strictest(rule_value(rule) for rule in rules if pattern_matches(rule.pattern, name))


def rule_value(rule: ProtectionRule) -> Protection:
    """One rule as the value that ``strictest`` combines."""
    return Protection(
        patterns=(rule.pattern,),
        required_approvals=rule.required_approvals,
        required_checks=frozenset(rule.required_checks),
        merge_role=Role(rule.merge_role),
        refuse_direct_writes=rule.refuse_direct_writes,
        refuse_direct_merges=rule.refuse_direct_merges,
        refuse_deletion=rule.refuse_deletion,
        allow_queue_unchanged=rule.allow_queue_unchanged,
        allow_bypass=rule.allow_bypass,
    )
