"""Which protection holds for a branch, by the rules of its catalog."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q
from django.db.models.functions import Lower

from catalog_app.domain.agents import Account
from catalog_app.domain.owners import OwnerSet
from catalog_app.domain.policies import PolicySet, policy_read
from catalog_app.domain.protection import (
    Change,
    MergeAuthority,
    Protection,
    Refusal,
    may_bypass,
    pattern_matches,
    protection_refusal,
    strictest,
)
from catalog_app.domain.roles import Role
from catalog_app.models import Branch, Catalog, ProtectionRule
from catalog_app.selectors.agents import account_of, agent_branch_require
from catalog_app.selectors.owners import entries_load
from catalog_app.selectors.people import role_of_user
from catalog_app.selectors.rows import columns_of, fetch_models, json_value
from lakeui.common.errors import BranchProtected, InvalidValue, NotFound

LONGEST_REASON = 1000
"""Characters of the reason for a bypass."""


def protection_of(branch: Branch) -> Protection | None:
    """The protection in force; None where no pattern matches. A transaction's workspace has none: what is done there
    is invisible before COMMIT, which is judged by its target.
    """
    return None if branch.is_workspace else protection_of_name(branch.catalog_id, branch.name)


_RULES = f"""
SELECT {columns_of(ProtectionRule, "r")} FROM catalog_app_protectionrule r
WHERE r.catalog_id = %(catalog)s ORDER BY r.id
"""


def protection_of_name(catalog_id: int, name: str) -> Protection | None:
    """The protection that a branch of that name has, or would have."""
    rules = fetch_models(ProtectionRule, _RULES, {"catalog": catalog_id})
    return strictest(_rule_value(rule) for rule in rules if pattern_matches(rule.pattern, name))


def _rule_value(rule: ProtectionRule) -> Protection:
    """One rule as the value that ``strictest`` combines. Its documents are text, as ``fetch_models`` reads them."""
    policies = tuple(policy_read(document) for document in json_value(rule.policies))
    owners = entries_load(json_value(rule.owners))
    asked = rule.required_approvals
    return Protection(
        patterns=(rule.pattern,),
        required_approvals=0 if policies else asked,
        required_checks=frozenset(rule.required_checks),
        required_statuses=frozenset(rule.required_statuses),
        merge_role=Role(rule.merge_role),
        refuse_direct_writes=rule.refuse_direct_writes,
        refuse_direct_merges=rule.refuse_direct_merges,
        refuse_deletion=rule.refuse_deletion,
        refuse_stale_reads=rule.refuse_stale_reads,
        allow_queue_unchanged=rule.allow_queue_unchanged,
        allow_bypass=rule.allow_bypass,
        policies=(PolicySet(rule.pattern, rule.version, policies, asked, rule.policies_by_id),) if policies else (),
        owners=(OwnerSet(rule.pattern, rule.version, owners, rule.require_owner_approval),) if owners else (),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks for a change of a branch, and what gets it past a protection: an approved merge request, or an owner's
    reason for an emergency. ``stale_reads``: the tables of which the change has stale reads. ``account``: of who asks,
    where it is known.
    """

    user_id: int | None = None
    authority: MergeAuthority | None = None
    bypass_reason: str = ""
    stale_reads: tuple[str, ...] = ()
    account: Account | None = None


@dataclass(frozen=True, slots=True)
class Bypass:
    """A refusal that an owner went past. Whoever gets one writes it into the audit in the same transaction."""

    branch: str
    patterns: tuple[str, ...]
    refused: str
    reason: str


def protection_judge(branch: Branch, change: Change, asked: Asked, *, name: str | None = None) -> Bypass | None:
    """Raises BranchProtected where the branch's protection refuses the change, and PermissionDenied where an agent
    asks for what is not its own; answers the bypass where an owner's reason went past it. Where it decides, the
    caller holds the branch's lock. ``name``: the one it is about to get.
    """
    if branch.is_workspace:
        return None
    wanted = branch.name if name is None else name
    agent_branch_require(asked.account or account_of(asked.user_id), wanted, change)
    protection = protection_of_name(branch.catalog_id, wanted)
    if protection is None:
        return None
    role = role_of_user(asked.user_id, branch.catalog_id)
    refusal = protection_refusal(protection, change, role, asked.authority, asked.stale_reads)
    if refusal is None:
        return None
    if asked.bypass_reason and may_bypass(protection, role):
        return Bypass(wanted, protection.patterns, refusal.reason, bypass_reason_check(asked.bypass_reason))
    raise _refused(wanted, protection, refusal)


def bypass_reason_check(reason: str) -> str:
    """The reason, trimmed. Raises InvalidValue where it is blank or too long."""
    reason = reason.strip()
    if not 0 < len(reason) <= LONGEST_REASON:
        raise InvalidValue(f"The reason for a bypass has 1 to {LONGEST_REASON} characters.", remedy="Say why.")
    return reason


def _refused(name: str, protection: Protection, refusal: Refusal) -> BranchProtected:
    way_out = refusal.remedy
    if protection.allow_bypass:
        way_out += " In an emergency an owner of the catalog may bypass the protection, with a reason."
    return BranchProtected(
        f"Branch {name} is protected: {refusal.reason}.",
        remedy=way_out,
        branch=name,
        patterns=list(protection.patterns),
        role=refusal.role.value if refusal.role else None,
    )


def protection_rules_list(
    catalog: Catalog, *, search: str = "", after: tuple[str, int] | None = None, limit: int
) -> list[ProtectionRule]:
    """Rules by pattern, behind the key ``after`` (``sort_key`` and id)."""
    found = ProtectionRule.objects.filter(catalog=catalog).annotate(sort_key=Lower("pattern"))
    if search:
        found = found.filter(pattern__icontains=search)
    if after is not None:
        found = found.filter(Q(sort_key__gt=after[0]) | Q(sort_key=after[0], pk__gt=after[1]))
    return list(found.select_related("created_by", "policies_by").order_by("sort_key", "pk")[:limit])


def protection_rule_get(catalog: Catalog, rule_id: int) -> ProtectionRule:
    """The rule of that id. Raises NotFound."""
    rule = (
        ProtectionRule.objects.select_related("created_by", "policies_by").filter(catalog=catalog, pk=rule_id).first()
    )
    if rule is None:
        raise NotFound("protection rule", str(rule_id), where=f"in catalog {catalog.name}")
    return rule
