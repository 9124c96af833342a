"""``/api/v1/catalogs/{catalog}/protection-rules/``, and the protection of one branch that they come to."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.protection import Protection
from catalog_app.domain.roles import Action, Role
from catalog_app.models import ProtectionRule
from catalog_app.selectors.branches import sort_key
from catalog_app.selectors.protection import protection_of, protection_rule_get, protection_rules_list
from catalog_app.selectors.snapshots import branch_get
from catalog_app.services.protection import protection_rule_add, protection_rule_change, protection_rule_remove
from lakeui.api.branches.lake_serializers import CatalogFilter
from lakeui.api.http.answers import (
    BAD_REQUEST,
    CONFLICT,
    FORBIDDEN,
    IF_MATCH,
    IF_NONE_MATCH,
    NOT_FOUND,
    NOT_MODIFIED,
    STALE,
)
from lakeui.api.http.base import ApiView, catalog_of, checked, principal_of, tagged, unchanged
from lakeui.api.http.paging import keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from lakeui.api.requests.policy_serializers import MOST_POLICIES, OwnersField, PoliciesField
from merge_app.audit.settings import setting_recorder

MOST_APPROVALS = 100
MOST_OWNERS = 100
LONGEST_NAME = 200


class ProtectionFields(serializers.Serializer[Any]):
    required_approvals = serializers.IntegerField(
        default=1,
        min_value=0,
        max_value=MOST_APPROVALS,
        help_text="Distinct people who approve what would be merged. From 1 on, only merge requests get in.",
    )
    required_checks = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME),
        default=list,
        max_length=100,
        help_text="Names of checks that must have passed on what would be merged.",
    )
    required_statuses = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME),
        default=list,
        max_length=100,
        help_text="Contexts of statuses that must be reported as a success of the source's head.",
    )
    merge_role = serializers.ChoiceField(
        [role.value for role in Role],
        default=Role.MAINTAINER.value,
        help_text="Least role that may merge into the branch, or give a branch such a name.",
    )
    refuse_direct_writes = serializers.BooleanField(default=True, help_text="Merges are the only commits.")
    refuse_direct_merges = serializers.BooleanField(default=True, help_text="Merge requests only.")
    refuse_deletion = serializers.BooleanField(default=True, help_text="Neither dropped nor renamed.")
    refuse_stale_reads = serializers.BooleanField(
        default=False,
        help_text="No merge that tells of a STALE_READ, and no such COMMIT.",
    )
    allow_queue_unchanged = serializers.BooleanField(
        default=True, help_text="The merge queue continues after the head moved, if no verdict changed."
    )
    allow_bypass = serializers.BooleanField(default=True, help_text="Owners may go past all this with a reason.")
    policies = PoliciesField(
        default=list,
        max_length=MOST_POLICIES,
        help_text="Merge policies in order, judged on the plan of a request. The first that lets it through says how"
        " many approvals it needs, in the place of `required_approvals`. Where none does, those hold, one at least.",
    )
    owners = OwnersField(
        default=list,
        max_length=MOST_OWNERS,
        help_text="Owners of tables, in order. A request that changes such tables asks them for a review. Of a table"
        " the last entry that matches counts; one without people and groups says that it has no owner.",
    )
    require_owner_approval = serializers.BooleanField(
        default=False, help_text="No merge without an approval of one owner of each changed table that has some."
    )


class RuleRequest(ProtectionFields):
    pattern = serializers.CharField(
        max_length=LONGEST_NAME,
        help_text="Names of branches: `*` is any characters, slashes too, `?` one, `[ab]` one of these, `[!ab]` none"
        " of these. Upper and lower case are one.",
    )


class RuleAnswer(RuleRequest):
    """A rule. Where several match a name, the strictest of each field holds."""

    id = serializers.IntegerField()
    version = serializers.IntegerField(help_text="Counts the changes of the rule.")
    policies_by = serializers.SerializerMethodField(
        help_text="Who set the policies last, and answers for their merges."
    )
    created_at = serializers.DateTimeField()
    created_by = serializers.SerializerMethodField()

    def get_policies_by(self, rule: ProtectionRule) -> str:
        return rule.policies_by.get_username() if rule.policies_by else ""

    def get_created_by(self, rule: ProtectionRule) -> str:
        return rule.created_by.get_username() if rule.created_by else ""


class ProtectionAnswer(ProtectionFields):
    """What holds for one branch: the strictest of each field of all rules whose pattern matches."""

    is_protected = serializers.BooleanField()
    patterns = serializers.ListField(child=serializers.CharField())


def _shown(rule: ProtectionRule) -> Any:
    return RuleAnswer(rule).data


class ProtectionRuleListView(ApiView):
    @extend_schema(
        operation_id="protection_rule_list",
        summary="List the rules that protect branches",
        tags=["protection"],
        parameters=[CatalogFilter, IF_NONE_MATCH],
        responses={
            200: page_schema("ProtectionRulePage", RuleAnswer(many=True)),
            **NOT_MODIFIED,
            **BAD_REQUEST,
            **NOT_FOUND,
        },
    )
    def get(self, request: Request, catalog: str) -> Response:
        filters = checked(CatalogFilter, request)
        page = keyset_page(filters, str, int)
        found = protection_rules_list(catalog_of(request, catalog), **filters, after=page.after, limit=page.fetch)
        shown = page_body(request, page, found, key=sort_key, shown=lambda entries: RuleAnswer(entries, many=True).data)
        return tagged(request, Response(shown))

    @extend_schema(
        operation_id="protection_rule_add",
        summary="Protect branches",
        description="Takes the role owner. The rule holds at once, for what is queued already too.",
        tags=["protection"],
        request=RuleRequest,
        responses={201: RuleAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT},
    )
    def post(self, request: Request, catalog: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_PROTECTION)
        body = body_checked(RuleRequest, request)
        principal = principal_of(request)
        rule = protection_rule_add(
            catalog=found,
            fields=body,
            user_id=principal.user_id,
            record=setting_recorder(principal),
        )
        address = reverse("api-protection-rule", args=[found.name, rule.pk], request=request)
        return Response(_shown(rule), status=201, headers={"Location": address})


class ProtectionRuleView(ApiView):
    @extend_schema(
        operation_id="protection_rule_get",
        summary="Look at a rule",
        tags=["protection"],
        parameters=[IF_NONE_MATCH],
        responses={200: RuleAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, rule_id: int) -> Response:
        return tagged(request, Response(_shown(protection_rule_get(catalog_of(request, catalog), rule_id))))

    @extend_schema(
        operation_id="protection_rule_change",
        summary="Change a rule",
        description="Takes the role owner. Fields that are left out stay.",
        tags=["protection"],
        parameters=[IF_MATCH],
        request=RuleRequest(partial=True),
        responses={200: RuleAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT, **STALE},
    )
    def patch(self, request: Request, catalog: str, rule_id: int) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_PROTECTION)
        body = body_checked(RuleRequest, request, partial=True)
        rule = protection_rule_change(
            catalog=found,
            rule_id=rule_id,
            fields=body,
            user_id=principal_of(request).user_id,
            check=lambda present: unchanged(request, _shown(present)),
            record=setting_recorder(principal_of(request)),
        )
        return tagged(request, Response(_shown(rule)))

    @extend_schema(
        operation_id="protection_rule_remove",
        summary="Remove a rule",
        description="Takes the role owner.",
        tags=["protection"],
        parameters=[IF_MATCH],
        responses={
            204: OpenApiResponse(description="It protects nothing any more."),
            **FORBIDDEN,
            **NOT_FOUND,
            **STALE,
        },
    )
    def delete(self, request: Request, catalog: str, rule_id: int) -> Response:
        protection_rule_remove(
            catalog=catalog_of(request, catalog, Action.MANAGE_PROTECTION),
            rule_id=rule_id,
            check=lambda present: unchanged(request, _shown(present)),
            record=setting_recorder(principal_of(request)),
        )
        return Response(status=204)


class BranchProtectionView(ApiView):
    @extend_schema(
        operation_id="branch_protection",
        summary="The protection of a branch",
        description="What all rules that match its name come to.",
        tags=["protection"],
        parameters=[IF_NONE_MATCH],
        responses={200: ProtectionAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, branch: str) -> Response:
        found = protection_of(branch_get(catalog_of(request, catalog), branch))
        return tagged(request, Response(protection_shown(found)))


def protection_shown(protection: Protection | None) -> dict[str, Any]:
    """A protection as ``ProtectionAnswer`` describes it; of an unprotected branch every field is its mildest."""
    shown = protection or Protection(())
    return {
        "is_protected": protection is not None,
        "patterns": list(shown.patterns),
        "required_approvals": max([shown.required_approvals, *(item.approvals for item in shown.policies)]),
        "required_checks": sorted(shown.required_checks),
        "required_statuses": sorted(shown.required_statuses),
        "merge_role": shown.merge_role.value,
        "refuse_direct_writes": shown.refuse_direct_writes,
        "refuse_direct_merges": shown.refuse_direct_merges,
        "refuse_deletion": shown.refuse_deletion,
        "refuse_stale_reads": shown.refuse_stale_reads,
        "allow_queue_unchanged": shown.allow_queue_unchanged,
        "allow_bypass": shown.allow_bypass,
        "policies": [asdict(policy) for item in shown.policies for policy in item.policies],
        "owners": [
            {"pattern": entry.pattern, "people": list(entry.people), "groups": list(entry.groups)}
            for item in shown.owners
            for entry in item.entries
        ],
        "require_owner_approval": any(item.is_required for item in shown.owners),
    }
