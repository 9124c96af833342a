"""What there is to see of a request now: the heads, the rules, and the plan that follows from them."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.plan_facts import PlanFacts, facts_read
from catalog_app.domain.policies import PolicySet, policies_digest
from catalog_app.domain.protection import Protection
from catalog_app.models import Branch
from catalog_app.rules.loader import load_rules
from catalog_app.selectors.protection import protection_of
from catalog_app.selectors.snapshots import version_check
from merge_app.comparison.compare import comparison_load
from merge_app.comparison.policy_facts import policy_facts_load
from merge_app.execution.engine_source import EngineSource
from merge_app.planning.effects import effect_from_json
from merge_app.planning.merge_plan import Decision, Resolution, ResolutionPart
from merge_app.review.approval_rules import Seen
from merge_app.review.models import ConflictResolution, MergeRequest
from merge_app.review.states import RequestState


@dataclass(frozen=True, slots=True)
class KnownPlan:
    """A plan of the request: what went in, its fingerprint and how many conflicts it has. ``facts`` are what policies
    are judged on; None where they were not made.
    """

    seen: Seen
    fingerprint: str
    conflict_count: int
    facts: PlanFacts | None = None

    def facts_for(self, policies: tuple[PolicySet, ...]) -> PlanFacts | None:
        """The facts, where these policies are those for which rows were looked at."""
        known = self.facts
        return known if known is not None and known.policies == policies_digest(policies) else None


def seen_now(request: MergeRequest, source: Branch, destination: Branch) -> Seen:
    """What a plan of the request is a function of, with its branches as these rows say they are."""
    return Seen(source.head_version, destination.head_version, load_rules().digest, request.resolutions_digest)


def seen_judged(request: MergeRequest, source: Branch, destination: Branch) -> Seen:
    """What reviews of the request are judged on: what it holds now, and once it is merged what was merged. Its branches
    go on, and what was approved then stays so.
    """
    known = plan_known(request) if request.state == RequestState.MERGED else None
    return known.seen if known is not None else seen_now(request, source, destination)


def judged_heads(request: MergeRequest) -> tuple[int, int]:
    """The heads of ``seen_judged``."""
    seen = seen_judged(request, request.source, request.destination)
    return seen.source_head, seen.destination_head


def heads_merged(request: MergeRequest) -> tuple[Branch, Branch] | None:
    """Source and target as they were when the request was merged; None where it is not. Raises NotFound where the
    retention took the versions. The rows are to look at only: they are never saved.
    """
    known = plan_known(request) if request.state == RequestState.MERGED else None
    if known is None:
        return None
    source, destination = branches_now(request)
    source.head_version = version_check(source, known.seen.source_head)
    destination.head_version = version_check(destination, known.seen.destination_head)
    return source, destination


def plan_known(request: MergeRequest) -> KnownPlan | None:
    """The last plan that anybody made of the request."""
    if request.planned_source_head is None or request.planned_destination_head is None:
        return None
    seen = Seen(
        request.planned_source_head,
        request.planned_destination_head,
        request.planned_rules,
        request.planned_resolutions,
    )
    facts = facts_read(request.planned_facts) if request.planned_facts else None
    return KnownPlan(seen, request.planned_fingerprint, request.conflict_count, facts)


def plan_load(request: MergeRequest, engine: EngineSource) -> KnownPlan:
    """The plan of the request as its branches are now, with facts where the target's protection judges them: the last
    one if it is still that, else made anew.
    """
    source, destination = branches_now(request)
    seen, known = seen_now(request, source, destination), plan_known(request)
    protection = protection_now(destination)
    policies = protection.policies
    if known is not None and known.seen == seen and (not protection.judges_plans or known.facts_for(policies)):
        return known
    resolutions = resolutions_of(request, source, destination)
    if protection.judges_plans:
        facts = policy_facts_load(source, destination, engine, resolutions, policies)
        return KnownPlan(seen, facts.fingerprint, facts.conflicts, facts)
    made = comparison_load(source, destination, engine, resolutions)
    return KnownPlan(seen, made.fingerprint, made.conflicts)


def protection_now(destination: Branch) -> Protection:
    """The protection in force for merges into the branch, the mildest where it has none."""
    return protection_of(destination) or Protection(())


def branches_now(request: MergeRequest) -> tuple[Branch, Branch]:
    """Source and target as they are now, dropped or not."""
    found = Branch.objects.select_related("catalog", "head_commit").in_bulk([request.source_id, request.destination_id])
    return found[request.source_id], found[request.destination_id]


def plan_keep(request: MergeRequest, plan: KnownPlan) -> None:
    """Note the plan on the request's row; the caller saves it. Facts stay while the plan is the same one."""
    if plan.facts is not None:
        request.planned_facts = plan.facts.as_json()
    elif plan.fingerprint != request.planned_fingerprint:
        request.planned_facts = {}
    request.planned_source_head = plan.seen.source_head
    request.planned_destination_head = plan.seen.destination_head
    request.planned_rules = plan.seen.rules_digest
    request.planned_resolutions = plan.seen.resolutions_digest
    request.planned_fingerprint = plan.fingerprint
    request.conflict_count = plan.conflict_count


def resolutions_of(request: MergeRequest, source: Branch, destination: Branch) -> tuple[Resolution, ...]:
    """What was decided for just these heads, as the plan takes it."""
    found = ConflictResolution.objects.filter(
        request=request,
        withdrawn_at__isnull=True,
        source_head=source.head_version,
        destination_head=destination.head_version,
    )
    return tuple(resolution_value(row) for row in found.order_by("object_kind", "object_id", "part", "part_key"))


def resolution_value(row: ConflictResolution) -> Resolution:
    """One decision as the plan takes it."""
    return Resolution(
        object_kind=ObjectKind(row.object_kind),
        object_id=row.object_id,
        decision=Decision(row.decision),
        part=ResolutionPart(row.part),
        part_key=row.part_key,
        name=row.name,
        value=row.value,
        effect=effect_from_json(row.effect) if row.effect else None,
    )
