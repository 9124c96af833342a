"""Rows that policies draw, and the code by which a person says that they were shown to just them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.utils.crypto import constant_time_compare, salted_hmac

from catalog_app.domain.plan_facts import SpotRow
from catalog_app.domain.policy_judgement import PolicyVerdict
from lakeui.common.errors import InvalidValue
from merge_app.review.known_plans import KnownPlan
from merge_app.review.models import MergeRequest

SALT = "merge_app.review.spot_checks"


def rows_drawn(verdicts: Iterable[PolicyVerdict], plan: KnownPlan | None) -> tuple[SpotRow, ...]:
    """The rows that somebody who approves the plan has to look at."""
    count = max((verdict.spot_check for verdict in verdicts), default=0)
    return plan.facts.spot_rows[:count] if plan is not None and plan.facts is not None else ()


def spot_code(request: MergeRequest, user_id: int | None, rows: Iterable[SpotRow], fingerprint: str) -> str:
    """What the person alone sends with an approval of just this plan; "" where no row is drawn."""
    described: list[Mapping[str, Any]] = [asdict(row) for row in rows]
    if not described or user_id is None:
        return ""
    said = json.dumps([request.pk, user_id, fingerprint, described], sort_keys=True, default=str)
    return salted_hmac(SALT, said, algorithm="sha256").hexdigest()[:32]


def spot_code_check(expected: str, given: str) -> None:
    """Raises InvalidValue where rows are drawn, and the code is not that of this person."""
    if expected and not constant_time_compare(expected, given):
        raise InvalidValue(
            "A policy drew rows of this plan, and the approval does not say that you looked at them."
            if not given
            else "The code is not yours, or it is of another plan.",
            remedy="Read spot_rows of the merge request as yourself, and send its spot_code.",
            field="spot_code",
        )
