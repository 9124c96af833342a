"""What a merge of a branch to its parent would say of what the open transaction sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from catalog_app.models import Branch
from lakeui.common.errors import LakeError
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.load import findings_input_load, is_forward_of_rows
from merge_app.planning.merge_plan import Finding, Verdict
from merge_app.planning.plan import plan


def parent_merge_foresee(branch: Branch, engine: EngineSource) -> dict[str, Any] | None:
    """Conflicts and notes of the plan that a merge would carry out, counted by code and object; ``refused`` where
    no plan can be made. None for a branch without a parent, or of a transaction. Writes nothing.
    """
    parent = _parent(branch)
    if parent is None:
        return None
    try:
        findings = merge_findings(branch, parent, engine)
    except LakeError as failure:
        refused = {"code": failure.code, "message": failure.message, "remedy": failure.remedy}
        return {"branch": parent.name, "mergeable": False, "conflicts": [], "notes": [], "refused": refused}
    conflicts = [item for item in findings if item.verdict is Verdict.CONFLICT]
    notes = [item for item in findings if item.verdict is Verdict.NOTE]
    return _said(parent, conflicts, notes)


def forward_foresee(branch: Branch) -> tuple[bool, dict[str, Any] | None]:
    """Whether it is known without a plan what ``parent_merge_foresee`` says after a commit of rows alone; and that."""
    parent = _parent(branch)
    if parent is None:
        return True, None
    return (True, _said(parent, (), ())) if is_forward_of_rows(branch, parent) else (False, None)


def _parent(branch: Branch) -> Branch | None:
    parent = branch.parent
    return None if parent is None or branch.is_workspace or parent.dropped_at is not None else parent


def _said(parent: Branch, conflicts: Sequence[Finding], notes: Sequence[Finding]) -> dict[str, Any]:
    return {
        "branch": parent.name,
        "mergeable": not conflicts,
        "conflicts": _counted(conflicts),
        "notes": _counted(notes),
    }


def merge_findings(source: Branch, target: Branch, engine: EngineSource) -> tuple[Finding, ...]:
    """The findings of the plan of a merge: conflicts, notes, and cells that have neither."""
    given = findings_input_load(source, target, engine)
    return () if given is None else plan(given).findings


def _counted(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    counts = Counter((item.code or item.note or "", item.object_name) for item in findings)
    return [{"code": code, "object": name, "count": count} for (code, name), count in sorted(counts.items())]
