"""Merge policies and their verdicts as the HTTP interface shows them."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from rest_framework import serializers

from catalog_app.domain.policies import CHANGES, DAYS, KINDS
from lakeui.common.errors import InvalidValue
from merge_app.comparison.policy_facts import MOST_SPOT_ROWS
from merge_app.comparison.row_rules import LONGEST, condition_check

MOST_POLICIES, MOST_PATTERNS, MOST_RULES = 20, 100, 20
_CLOCK = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
_PATTERN = "`database.table` with `*`, `?` and `[ab]`; `database.*` is the database too."


def _patterns(**given: Any) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=511), max_length=MOST_PATTERNS, help_text=_PATTERN, **given
    )


class PolicyRowRule(serializers.Serializer[Any]):
    """A condition that each changed row fulfils."""

    condition = serializers.CharField(
        max_length=LONGEST,
        help_text="SQL over `old.column`, as the target has it, and `new.column`, as the merge makes it. A row for"
        " which it is NULL does not fulfil it; `old` of a new row is NULL, and `new` of a deleted one.",
    )
    tables = _patterns(default=["*"], min_length=1)
    changes = serializers.ListField(
        child=serializers.ChoiceField(CHANGES), default=list(CHANGES), min_length=1, max_length=len(CHANGES)
    )

    def validate_condition(self, condition: str) -> str:
        condition_check(condition)
        return condition


class PolicyHours(serializers.Serializer[Any]):
    """When a policy lets merges through. An `end` that is not later than `begin` is of the next day."""

    begin = serializers.RegexField(_CLOCK, help_text="HH:MM")
    end = serializers.RegexField(_CLOCK, help_text="HH:MM, not included")
    zone = serializers.CharField(default="UTC", max_length=64, help_text="A name of the time zone database.")
    days = serializers.ListField(
        child=serializers.ChoiceField(DAYS), default=list(DAYS), min_length=1, max_length=len(DAYS)
    )

    def validate_zone(self, zone: str) -> str:
        if zone not in available_timezones():
            raise InvalidValue(f"There is no time zone {zone}.", remedy="Write one like Europe/Berlin.", field="zone")
        return zone


def _most(text: str) -> serializers.IntegerField:
    return serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=2**53, help_text=text)


class MergePolicy(serializers.Serializer[Any]):
    """What a merge may do at most to be let through. The first policy that lets it through says what it needs."""

    name = serializers.CharField(max_length=100)
    tables = _patterns(default=list)
    operations = serializers.ListField(
        child=serializers.ChoiceField(KINDS), default=list, max_length=len(KINDS), help_text="None is all."
    )
    max_rows = _most("Rows inserted, updated and deleted. No policy with such a number lets uncounted ones through.")
    max_share = serializers.FloatField(
        default=None, allow_null=True, min_value=0, max_value=1, help_text="Of the rows of each table on the target."
    )
    max_deleted = _most("Rows deleted, those of dropped tables too.")
    max_emptied = _most("Values that become NULL in rows that stay.")
    max_dropped_columns = _most("Columns dropped.")
    refuse_stale_reads = serializers.BooleanField(default=False)
    rules = serializers.ListField(child=PolicyRowRule(), default=list, max_length=MOST_RULES)
    hours = PolicyHours(default=None, allow_null=True)
    spot_check = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=MOST_SPOT_ROWS,
        help_text="So many changed rows are drawn, which one person at least has before them and approves.",
    )
    approvals = serializers.IntegerField(default=0, min_value=0, max_value=100, help_text="0: no person.")
    approvers = serializers.ListField(
        child=serializers.CharField(max_length=150),
        default=list,
        max_length=100,
        help_text="User names: approvals of others do not count.",
    )
    merges = serializers.BooleanField(
        default=False,
        help_text="lakeui merges the request as soon as nothing is in its way, as who set the policies, with their"
        " rights of then.",
    )


class PoliciesField(serializers.ListField):
    """Policies in order. Each is whole: also a change of a rule gives all of its policies."""

    child = MergePolicy()

    def run_child_validation(self, data: Any) -> Any:
        found = []
        for item in data:
            # A serializer of its own: in one of a partial change no default would hold.
            policy = MergePolicy(data=item)
            policy.is_valid(raise_exception=True)
            found.append(_plain(policy.validated_data))
        names = [policy["name"].casefold() for policy in found]
        if len(set(names)) < len(names):
            raise InvalidValue("Two policies have one name.", remedy="Name each its own.", field="policies")
        return found


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


class TableOwners(serializers.Serializer[Any]):
    """Owners of the tables of a pattern. Of a table the last entry that matches counts."""

    pattern = serializers.CharField(
        max_length=511,
        help_text="`database.table`: `*` is any characters, `?` one; `database.*` and `database.**` are all tables of"
        " the database, and itself. Upper and lower case are one.",
    )
    people = serializers.ListField(
        child=serializers.CharField(max_length=150), default=list, max_length=100, help_text="User names."
    )
    groups = serializers.ListField(child=serializers.CharField(max_length=150), default=list, max_length=100)


class OwnersField(serializers.ListField):
    """Entries in order. Each is whole: also a change of a rule gives all of them."""

    child = TableOwners()

    def run_child_validation(self, data: Any) -> Any:
        found = []
        for item in data:
            # A serializer of its own: in one of a partial change no default would hold.
            entry = TableOwners(data=item)
            entry.is_valid(raise_exception=True)
            found.append(_plain(entry.validated_data))
        return found


class OwnerVerdictEntry(serializers.Serializer[Any]):
    """Tables that the request changes, and who owns them. `branches`: the pattern of the rule of protection."""

    branches = serializers.CharField()
    version = serializers.IntegerField(help_text="Of the rule.")
    pattern = serializers.CharField()
    people = serializers.ListField(child=serializers.CharField())
    groups = serializers.ListField(child=serializers.CharField())
    tables = serializers.ListField(child=serializers.CharField(), help_text="The first 20.")
    table_count = serializers.IntegerField()
    is_required = serializers.BooleanField(help_text="The merge needs an approval of one of them.")
    approved_by = serializers.ListField(child=serializers.CharField(), help_text="Owners whose approval counts.")


class PolicyReason(serializers.Serializer[Any]):
    """What one limit of a policy says of the plan."""

    limit = serializers.CharField()
    is_met = serializers.BooleanField()
    message = serializers.CharField()


class PolicyJudgementEntry(serializers.Serializer[Any]):
    policy = serializers.CharField()
    lets_through = serializers.BooleanField()
    reasons = PolicyReason(many=True)


class PolicyVerdictEntry(serializers.Serializer[Any]):
    """What the policies of one rule of protection say of the plan. `policy`: the one that lets it through, or empty."""

    pattern = serializers.CharField()
    version = serializers.IntegerField(help_text="Of the rule.")
    policy = serializers.CharField(allow_blank=True)
    required_approvals = serializers.IntegerField()
    approvers = serializers.ListField(child=serializers.CharField())
    merges = serializers.BooleanField()
    spot_check = serializers.IntegerField()
    message = serializers.CharField()
    judgements = PolicyJudgementEntry(many=True)


class SpotRowEntry(serializers.Serializer[Any]):
    """A changed row that was drawn for a person to look at."""

    table = serializers.CharField()
    change = serializers.ChoiceField(CHANGES)
    key = serializers.CharField()
    old = serializers.DictField(allow_null=True)
    new = serializers.DictField(allow_null=True)
